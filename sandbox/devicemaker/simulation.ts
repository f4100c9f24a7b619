import type { Provider, Simulation } from '../simulation.ts';
import { devicemakerAccountApi } from './account-api.ts';
import { accountOf } from './accounts.ts';
import { devicemakerCallbacks } from './callbacks.ts';
import { controlRoutes } from './control.ts';
import { garbageFor } from './garbage.ts';
import { devicemakerHistory } from './history.ts';
import { sendLive } from './live.ts';
import { devicemakerPost, noteSent } from './notify.ts';
import { devicemakerOauth } from './oauth.ts';
import { Application, type DevicemakerWorld, initialApplication, Message, openWorld } from './state.ts';
import { addDeviceSamples, devicemakerTruth } from './truth.ts';

/** A maker of wearable devices, which pushes items or pings with callbacks, and sends past data on request. */
export const devicemaker = {
  name: 'devicemaker',
  application: { shape: Application.shape, initial: initialApplication },
  hasAccount: () => true,
  async pointAt({ access, webhooks, secret, request }) {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ webhooks, secret });
    await request(`${access.url}/application`, { method: 'PUT', headers, body });
  },
  sends: (contents) => Message.safeParse(contents).success,
  open: (world) => providerOf(openWorld(world)),
} as const satisfies Simulation;

function providerOf(world: DevicemakerWorld): Provider {
  return {
    name: devicemaker.name,
    title: 'Device maker',
    routes: [
      ...devicemakerOauth(world),
      ...devicemakerAccountApi(world),
      ...devicemakerHistory(world),
      ...devicemakerCallbacks(world),
      ...controlRoutes(world),
    ],
    settings: settingsOf(world),
    delivery: { answerWithinMs: 30_000, attempts: 30, firstGapMs: 10_000, longestGapMs: 6 * 3_600_000 },
    retryAfter: { 'Retry-After': '1' },
    sendNews: () => sendLive(world),
    isReady: () => world.store.state.application.webhooks !== null,
    post: (contents) => devicemakerPost(world, Message.parse(contents)),
    acknowledged: (contents) => noteSent(world, Message.parse(contents)),
    garbageFor: (contents, chance) => garbageFor(Message.parse(contents), chance, world.application().style),
    granters: () => world.own.devicemaker_accounts,
    account(person) {
      const account = accountOf(world, world.person(person).account_id);
      if (account === null) return null;
      const { account_id, registered, permissions } = account;
      return {
        shown: { ...{ connected: registered, account_id, registered, permissions } },
        truth: () => devicemakerTruth(world, account),
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
