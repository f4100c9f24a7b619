import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import type {
  ApplicationSubscription,
  PullReply,
  PullRequest,
} from '../../domain/provider/pulled-provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { dayMs, hourMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const subscriptionPath = '/v2/webhook/subscription';
const renewBeforeMs = 7 * dayMs;

const Subscription = z.object({
  id: z.string(),
  callback_url: z.string(),
  event_type: z.string(),
  data_type: z.string(),
  // Assumed: it is in UTC, with or without an offset.
  expiration_time: z.string().transform((text) => Date.parse(`${text.slice(0, 19)}Z`)),
});
type Subscription = z.output<typeof Subscription>;

const eventTypes = ['create', 'update', 'delete'] as const;
const wanted = Object.keys(collections)
  .filter((name) => name !== 'heartrate')
  .flatMap((data_type) => eventTypes.map((event_type) => ({ data_type, event_type })));

interface Found {
  readonly want: (typeof wanted)[number];
  readonly own: Subscription | undefined;
}

/** The wanted subscriptions with those that the provider has. Null: the answer cannot be read. */
function foundIn({ status, text }: PullReply): Found[] | null {
  const listed = z.array(Subscription).safeParse(status === 200 ? jsonOrNull(text) : null).data;
  if (listed === undefined) return null;
  return wanted.map((want) => ({
    want,
    own: listed.find((one) => one.event_type === want.event_type && one.data_type === want.data_type),
  }));
}

const endsSoon = ({ expiration_time: end }: Subscription, nowMs: number) => !(end - nowMs > renewBeforeMs);

/**
 * The subscriptions of the application, one for each type of data and of event. They end by themselves, and are renewed a week
 * before. One with another address is changed: there is at most one of each type.
 */
export const subscriptions: ApplicationSubscription = {
  of: 'application',
  everyMs: 6 * hourMs,
  proof({ OURA_CLIENT_ID: id, OURA_CLIENT_SECRET: secret, OURA_VERIFICATION_TOKEN: token }: Settings) {
    if (id === undefined || secret === undefined || token === undefined) return null;
    return { headers: { 'x-client-id': id, 'x-client-secret': secret } };
  },
  check: () => ({ path: subscriptionPath }),
  read(_, reply, address, nowMs) {
    const found = foundIn(reply);
    if (found === null) return 'unknown';
    return found.every(({ own }) => own?.callback_url === address && !endsSoon(own, nowMs))
      ? 'active'
      : 'missing';
  },
  renewals: ({ OURA_VERIFICATION_TOKEN: verification_token }: Settings, reply, address, nowMs) =>
    (foundIn(reply) ?? []).flatMap(({ want, own }): PullRequest[] => {
      const json = { callback_url: address, verification_token, ...want };
      if (own === undefined) return [{ path: subscriptionPath, json }];
      return [
        ...(own.callback_url === address
          ? []
          : [{ path: `${subscriptionPath}/${own.id}`, json, method: 'PUT' as const }]),
        ...(endsSoon(own, nowMs)
          ? [{ path: `${subscriptionPath}/renew/${own.id}`, method: 'PUT' as const }]
          : []),
      ];
    }),
};

const settings = {
  WEBHOOK_SECRET_OURA: webhookSecrets.optional(),
  WEBHOOK_SENDERS_OURA: networks.default([]),
  OURA_API_URL: url.default('https://api.ouraring.com'),
  OURA_AUTHORIZE_URL: url.default('https://cloud.ouraring.com/oauth/authorize'),
  OURA_TOKEN_URL: url.default('https://api.ouraring.com/oauth/token'),
  OURA_CLIENT_ID: z.string().optional(),
  OURA_CLIENT_SECRET: z.string().optional(),
  OURA_VERIFICATION_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a text of your own with which the provider checks the webhook address. With it and PUBLIC_URL its subscriptions are made, and renewed before they end',
    ),
  OURA_REQUESTS_PER_5_MINUTES: whole(1, 1_000_000).default(5000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const profilePath = '/v2/usercollection/personal_info';
const Profile = z.object({ id: z.string().min(1).max(100) });

const Event = z.object({
  event_type: z.string().max(60),
  data_type: z.string().max(60),
  object_id: z.string().min(1).max(200),
  user_id: z.string().min(1).max(100),
});

/** With what the ring recorded there are new heart rates, which have no notifications. */
const withHeartRates: ReadonlySet<string> = new Set(['sleep', 'daily_activity', 'workout']);

function read(body: Buffer): Hint[] | null {
  const event = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (event === undefined) return null;
  const { data_type: name, user_id: account, object_id: id } = event;
  if (!Object.hasOwn(collections, name)) return [];
  const names = withHeartRates.has(name) ? [name, 'heartrate'] : [name];
  return [{ kind: 'changed', account, types: names, span: null, id }];
}

/** Oura, API v2. */
export const oura = {
  title: 'Oura',
  colour: '#9952e0',
  ...listed,
  settings,
  names: settingNames('OURA'),
  normaliserVersion: 2,
  fields: fieldsOf(collections),
  projectClientRefusal: 'Its notifications are signed with a secret of the settings.',
  oauth: {
    authorizeUrl: ({ OURA_AUTHORIZE_URL }: Settings) => new URL(OURA_AUTHORIZE_URL),
    tokenUrl: ({ OURA_TOKEN_URL }: Settings) => new URL(OURA_TOKEN_URL),
    scope: 'personal daily heartrate workout session spo2 extapi:stress extapi:heart_health',
    usesPkce: false,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: profilePath,
      readAccount: (text) => Profile.safeParse(jsonOrNull(text)).data?.id ?? null,
      scope: null,
    },
    isScopeEnough: (scope) => Object.values(types).some(({ isGranted }) => isGranted(scope)),
    revocation: {
      url: ({ OURA_API_URL }: Settings) => apiPath(OURA_API_URL, '/oauth/revoke'),
      method: 'POST',
      sendsTokenInForm: false,
      tokenQuery: 'access_token',
    },
  },
  // Withheld is also the access of a user whose membership has lapsed.
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['x-oura-signature', 'x-oura-timestamp'],
    subscriptionSettings: ['OURA_VERIFICATION_TOKEN'],
    body: withoutData,
  },
  shares: [
    'daily_activity',
    'activities',
    'heart_rate',
    'oxygen_saturation',
    'sleep',
    'stress',
    'mindfulness',
    'profile',
  ],
  cadenceHours: { daily_activity: 36, heart_rate: 36, sleep: 36 },
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        event_type: 'update',
        data_type: 'sleep',
        object_id: '2-5daccc095220cc5493a4e9c2b681ca941e',
        event_time: '2026-03-02T06:35:00+00:00',
        user_id: '8b6b5ea4-7f1a-4b9c-9d34-2c41d3b6f4f9',
      },
      authentication: {
        by: 'hmac',
        header: 'x-oura-signature',
        timeHeader: 'x-oura-timestamp',
        encoding: 'hex',
        secret: ({ OURA_CLIENT_SECRET }: Settings) => OURA_CLIENT_SECRET,
      },
      challenge: {
        token: 'verification_token',
        challenge: 'challenge',
        expected: ({ OURA_VERIFICATION_TOKEN }: Settings) => OURA_VERIFICATION_TOKEN,
      },
      read,
    },
    types,
    probe: { path: profilePath },
    // 426, an app of the user that is too old, is refused: it is read again after the next notification or sweep.
    failure: failureByStatus(),
    limits: [limit('application', ({ OURA_REQUESTS_PER_5_MINUTES: most }: Settings) => most, 5 * minuteMs)],
    pace,
    subscription: subscriptions,
  },
} as const satisfies Provider;
