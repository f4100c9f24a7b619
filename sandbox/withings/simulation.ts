import type { Reply } from '../server/http.ts';
import type { Provider, Simulation } from '../simulation/simulation.ts';
import { accountOf, hasAccount } from './accounts.ts';
import { withingsApi } from './api.ts';
import { controlRoutes } from './control.ts';
import { failure } from './envelope.ts';
import { addWithingsSamples, expectedWithingsData } from './expected-data.ts';
import { invalidNotification, sendNewRows, withingsPost } from './live.ts';
import { withingsOauth } from './oauth.ts';
import { Message, openWorld, type WithingsWorld } from './state.ts';

/**
 * A maker of scales, watches and blood pressure monitors. Errors are in the body of a 200, notifications are not signed and
 * are sent per user and category, and lists are read from a cursor.
 */
export const withings = {
  name: 'withings',
  application: { shape: {}, initial: {} },
  hasAccount,
  // The application subscribes each account with an address of its own.
  pointAt: async () => undefined,
  open: (world) => providerOf(openWorld(world)),
} as const satisfies Simulation;

const minuteMs = 60_000;
const dayMs = 86_400_000;

function providerOf(world: WithingsWorld): Provider {
  return {
    name: withings.name,
    title: 'Withings',
    routes: [...withingsOauth(world), ...withingsApi(world), ...controlRoutes(world)],
    settings: settingsOf(world),
    // Two attempts each at once, after 10 s, minutes, an hour and four hours; then a notification is lost.
    delivery: { answerWithinMs: 2000, attempts: 10, firstGapMs: 10_000, longestGapMs: 240 * minuteMs },
    retryAfter: {},
    overLimit: () => limited(world),
    sendNewData: () => sendNewRows(world),
    isReady: () => true,
    post: (contents) => withingsPost(world, Message.parse(contents)),
    acknowledged: () => undefined,
    invalidNotification: (_, chance) => invalidNotification(chance),
    tokenHolders: () => world.own.withings_accounts,
    account(user) {
      const account = accountOf(world, user);
      if (account === null) return null;
      const { userid, authorized } = account;
      return {
        shown: { connected: authorized, userid, subscriptions: account.subscriptions.length },
        expectedData: () => expectedWithingsData(world, account, world.clock.nowMs() - 30 * dayMs),
        addSamples: (sink) => addWithingsSamples(sink, world, account),
      };
    },
  };
}

// Most answers over the limit have HTTP status 200, some 429.
function limited({ faults }: WithingsWorld): Reply {
  return faults.chance.chance(0.7)
    ? failure(601, 'Too Many Request')
    : { status: 429, text: 'Too many requests' };
}

function settingsOf({ own, url }: WithingsWorld) {
  return {
    WITHINGS_API_URL: `${url}/withings`,
    WITHINGS_AUTHORIZE_URL: `${url}/withings/oauth2_user/authorize2`,
    WITHINGS_CLIENT_ID: own.withings.client_id,
    WITHINGS_CLIENT_SECRET: own.withings.client_secret,
  };
}
