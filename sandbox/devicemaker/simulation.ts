import type { Provider, Simulation } from '../simulation/simulation.ts';
import { devicemakerAccountApi } from './account-api.ts';
import { accountOf } from './accounts.ts';
import { devicemakerBackfill } from './backfill.ts';
import { devicemakerCallbacks } from './callbacks.ts';
import { controlRoutes } from './control.ts';
import { addDeviceSamples, expectedDevicemakerData } from './expected-data.ts';
import { invalidNotification } from './invalid-notification.ts';
import { sendLive } from './new-data.ts';
import { devicemakerPost, recordSent } from './notify.ts';
import { devicemakerOauth } from './oauth.ts';
import { Application, type DevicemakerWorld, initialApplication, Message, openWorld } from './state.ts';

/** A maker of wearable devices. It pushes items or sends pings with callbacks, and sends past data on request. */
export const devicemaker = {
  name: 'devicemaker',
  application: { shape: Application.shape, initial: initialApplication },
  hasAccount: () => true,
  async pointAt({ access, webhooks, secret, request }) {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ webhooks, secret });
    await request(`${access.url}/application`, { method: 'PUT', headers, body });
  },
  open: (world) => providerOf(openWorld(world)),
} as const satisfies Simulation;

function providerOf(world: DevicemakerWorld): Provider {
  return {
    name: devicemaker.name,
    title: 'Garmin',
    routes: [
      ...devicemakerOauth(world),
      ...devicemakerAccountApi(world),
      ...devicemakerBackfill(world),
      ...devicemakerCallbacks(world),
      ...controlRoutes(world),
    ],
    settings: settingsOf(world),
    delivery: { answerWithinMs: 30_000, attempts: 30, firstGapMs: 10_000, longestGapMs: 6 * 3_600_000 },
    retryAfter: { 'Retry-After': String(world.limits.retryAfterSeconds) },
    sendNewData: () => sendLive(world),
    isReady: () => world.store.state.application.webhooks !== null,
    post: (contents) => devicemakerPost(world, Message.parse(contents)),
    acknowledged: (contents) => recordSent(world, Message.parse(contents)),
    invalidNotification: (contents, chance) =>
      invalidNotification(Message.parse(contents), chance, world.application().style),
    tokenHolders: () => world.own.devicemaker_accounts,
    account(user) {
      const account = accountOf(world, world.user(user).account_id);
      if (account === null) return null;
      const { account_id, registered, permissions } = account;
      return {
        shown: { connected: registered, account_id, registered, permissions },
        expectedData: () => expectedDevicemakerData(world, account),
        addSamples: (sink) => addDeviceSamples(sink, world, account),
      };
    },
  };
}

function settingsOf({ own, url }: DevicemakerWorld) {
  return {
    DEVICEMAKER_API_URL: `${url}/devicemaker/rest`,
    DEVICEMAKER_AUTHORIZE_URL: `${url}/devicemaker/oauth2Confirm`,
    DEVICEMAKER_TOKEN_URL: `${url}/devicemaker/oauth/token`,
    DEVICEMAKER_CLIENT_ID: own.devicemaker.client_id,
    DEVICEMAKER_CLIENT_SECRET: own.devicemaker.client_secret,
    DEVICEMAKER_CALLBACK_ORIGINS: url,
  };
}
