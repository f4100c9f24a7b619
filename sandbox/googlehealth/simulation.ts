import { ok, type Reply, type Route, refused, route } from '../server/http.ts';
import { answerForUser, userOfChoice } from '../server/user-choice.ts';
import type { Provider, Simulation, WebhookTarget } from '../simulation/simulation.ts';
import { healthApi, type RequestCounts } from './api.ts';
import { addHealthSamples, expectedHealthData } from './expected-data.ts';
import { keysetOf, rotateKeys } from './keyset.ts';
import { healthPost, invalidNotification, sendChanges, sendNewData } from './notifications.ts';
import { endAccess, hasAccount, healthOauth } from './oauth.ts';
import { type HealthAccount, type HealthWorld, Message, openWorld } from './state.ts';
import { subscriberRoutes } from './subscriber.ts';

/** A platform for health data of several devices. It signs notifications, which name what changed. */
export const googlehealth = {
  name: 'googlehealth',
  application: { shape: {}, initial: {} },
  hasAccount,
  pointAt,
  open: (world) => providerOf(openWorld(world)),
} as const satisfies Simulation;

const hourMs = 3_600_000;

function providerOf(world: HealthWorld): Provider {
  const counts: RequestCounts = { times: new Map(), highest: new Map() };
  return {
    name: googlehealth.name,
    title: 'Google Health',
    routes: [
      ...healthOauth(world),
      ...healthApi(world, counts),
      ...subscriberRoutes(world),
      route('GET', '/googlehealth/keyset.json', () => ok(keysetOf(world))),
      ...controlRoutes(world, counts),
    ],
    settings: settingsOf(world),
    // Notifications are sent again for seven days.
    delivery: {
      answerWithinMs: 10_000,
      attempts: 50,
      firstGapMs: 10_000,
      longestGapMs: 4 * hourMs,
      acceptedStatus: 204,
    },
    retryAfter: { 'Retry-After': String(world.limits.retryAfterSeconds) },
    sendNewData: () => sendNewData(world),
    isReady: () => world.own.googlehealth_subscriber !== null,
    post: (contents) => healthPost(world, Message.parse(contents)),
    acknowledged: () => undefined,
    invalidNotification: (_, chance) => invalidNotification(chance),
    tokenHolders: () => world.own.googlehealth_accounts,
    account(user) {
      const account = accountOf(world, user);
      if (account === null) return null;
      const { health_user_id, authorized } = account;
      return {
        shown: { connected: authorized, health_user_id },
        expectedData: () => expectedHealthData(world, account),
        addSamples: (sink) => addHealthSamples(sink, world, account),
      };
    },
  };
}

function accountOf({ own }: HealthWorld, user: number | null): HealthAccount | null {
  return own.googlehealth_accounts.find(({ person }) => person === user) ?? null;
}

function settingsOf({ own, url }: HealthWorld) {
  const base = `${url}/googlehealth`;
  return {
    GOOGLEHEALTH_API_URL: base,
    GOOGLEHEALTH_AUTHORIZE_URL: `${base}/oauth/authorize`,
    GOOGLEHEALTH_TOKEN_URL: `${base}/oauth/token`,
    GOOGLEHEALTH_REVOKE_URL: `${base}/oauth/revoke`,
    GOOGLEHEALTH_KEYSET_URL: `${base}/keyset.json`,
    GOOGLEHEALTH_CLIENT_ID: own.googlehealth.client_id,
    GOOGLEHEALTH_CLIENT_SECRET: own.googlehealth.client_secret,
    GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: own.googlehealth_secret,
  };
}

/** What tests change: deleted and changed points, keys, access; and the highest number of requests in a minute. */
function controlRoutes(world: HealthWorld, counts: RequestCounts): Route[] {
  const withAccount = (person: string, use: (account: HealthAccount) => void): Reply => {
    const account = accountOf(world, userOfChoice(world, person));
    if (account === null) return refused('This person is not connected to Google Health.', 404);
    use(account);
    world.store.save();
    return ok({});
  };
  return [
    route('POST', '/googlehealth/keys', () => {
      rotateKeys(world);
      return ok({});
    }),
    route('GET', '/googlehealth/requests', () => ok(Object.fromEntries(counts.highest))),
    route('POST', '/people/:person/health-access', ({ params }) =>
      withAccount(params.person ?? '', (account) => endAccess(world, account)),
    ),
    route('DELETE', '/people/:person/health-points/:id', ({ params: { person = '', id = '' } }) =>
      withAccount(person, (account) => {
        account.deleted.push(id);
        const [, type = '', ms = ''] = /^(.+)-[a-z]+-(\d+)$/.exec(id) ?? [];
        const span = { start_ms: Number(ms), end_ms: Number(ms) + 60_000 };
        sendChanges(world, [{ account: account.health_user_id, operation: 'DELETE', type, ...span }]);
      }),
    ),
    route('GET', '/ledger/health', ({ query }) =>
      answerForUser(world, query.get('person'), (index) => {
        const account = accountOf(world, index);
        const from = query.get('from_ms');
        if (account === null) return null;
        return expectedHealthData(world, account, from === null ? undefined : Number(from));
      }),
    ),
  ];
}

/** Creates the subscriber as the application would. */
async function pointAt({ access: { settings }, webhooks, secret, request }: WebhookTarget): Promise<void> {
  const endpointUri = `${webhooks}/googlehealth/notifications${secret === null ? '' : `/${secret}`}`;
  const body = {
    endpointUri,
    subscriberConfigs: [{ dataTypes: ['steps'], subscriptionCreatePolicy: 'AUTOMATIC' }],
    endpointAuthorization: { secret: settings.GOOGLEHEALTH_WEBHOOK_AUTHORIZATION },
  };
  await request(`${settings.GOOGLEHEALTH_API_URL}/v4/projects/1/subscribers?subscriberId=sandbox`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${settings.GOOGLEHEALTH_CLIENT_SECRET}`,
    },
    body: JSON.stringify(body),
  });
}
