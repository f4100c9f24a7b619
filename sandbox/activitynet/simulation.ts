import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Provider, Simulation, WebhookTarget } from '../simulation/simulation.ts';
import { accountOf, hasAccount } from './accounts.ts';
import { activitynetApi } from './api.ts';
import { controlRoutes } from './control.ts';
import { activitynetPost, sendEvents } from './events.ts';
import { addAthleteSamples, expectedActivitynetData } from './expected-data.ts';
import { invalidNotification } from './invalid-notification.ts';
import { readLimits } from './limits.ts';
import { activitynetOauth } from './oauth.ts';
import { type ActivitynetWorld, Application, Message, openWorld } from './state.ts';
import { activitynetSubscriptions, subscriptionIdOf } from './subscription.ts';

/** A platform for activities. It sends events without data and has an API with quotas. */
export const activitynet = {
  name: 'activitynet',
  application: { shape: Application.shape, initial: { sign_events: true } },
  hasAccount,
  pointAt,
  open: (world) => providerOf(openWorld(world)),
} as const satisfies Simulation;

function providerOf(world: ActivitynetWorld): Provider {
  return {
    name: activitynet.name,
    title: 'Strava',
    routes: [
      ...activitynetOauth(world),
      ...activitynetSubscriptions(world),
      ...activitynetApi(world, readLimits(world.clock, world.limits)),
      ...controlRoutes(world),
    ],
    settings: settingsOf(world),
    delivery: { answerWithinMs: 2000, attempts: 3, firstGapMs: 15_000, longestGapMs: 60_000 },
    retryAfter: {},
    sendNewData: () => sendEvents(world),
    isReady: () => true,
    post: (contents) => activitynetPost(world, Message.parse(contents)),
    acknowledged: () => undefined,
    invalidNotification: (_, chance) => invalidNotification(chance),
    tokenHolders: () => world.own.activitynet_accounts,
    account(user) {
      const account = accountOf(world, user);
      if (account === null) return null;
      const { athlete_id, authorized } = account;
      return {
        shown: { connected: authorized, athlete_id, authorized },
        expectedData: () => expectedActivitynetData(world, account),
        addSamples: (sink) => addAthleteSamples(sink, world, account),
      };
    },
  };
}

function settingsOf(world: ActivitynetWorld) {
  const { own, url } = world;
  return {
    ACTIVITYNET_API_URL: `${url}/activitynet/api/v3`,
    ACTIVITYNET_OAUTH_URL: `${url}/activitynet/oauth`,
    ACTIVITYNET_CLIENT_ID: own.activitynet.client_id,
    ACTIVITYNET_CLIENT_SECRET: own.activitynet.client_secret,
    ACTIVITYNET_SUBSCRIPTION_ID: String(subscriptionIdOf(world)),
    ACTIVITYNET_VERIFY_TOKEN: randomBytes(16).toString('hex'),
    ACTIVITYNET_REQUIRE_SIGNATURE: 'true',
  };
}

const Subscriptions = z.array(z.object({ id: z.int() }));

/** Replaces the subscription of an earlier process, which may have had another address. */
async function pointAt({ access, webhooks, secret, request }: WebhookTarget): Promise<void> {
  const { settings } = access;
  const current = `${settings.ACTIVITYNET_API_URL}/push_subscriptions`;
  const body = new URLSearchParams({
    client_id: settings.ACTIVITYNET_CLIENT_ID ?? '',
    client_secret: settings.ACTIVITYNET_CLIENT_SECRET ?? '',
    callback_url: `${webhooks}/activitynet/webhook${secret === null ? '' : `/${secret}`}`,
    verify_token: settings.ACTIVITYNET_VERIFY_TOKEN ?? '',
  });
  const known = await request(current, { method: 'GET' });
  for (const { id } of Subscriptions.parse(await known.json()))
    await request(`${current}/${id}`, { method: 'DELETE' });
  await request(current, { method: 'POST', body });
}
