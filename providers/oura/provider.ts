import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { apiPath } from '../urls.ts';
import { collections, types } from './collections.ts';
import { subscriptions } from './subscriptions.ts';

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

interface Settings {
  readonly OURA_API_URL: string;
  readonly OURA_AUTHORIZE_URL: string;
  readonly OURA_TOKEN_URL: string;
  readonly OURA_CLIENT_SECRET?: string | undefined;
  readonly OURA_VERIFICATION_TOKEN?: string | undefined;
  readonly OURA_REQUESTS_PER_5_MINUTES: number;
}

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
