import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { ownValue } from '../../domain/own-value.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { dayMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const settings = {
  WEBHOOK_SECRET_WHOOP: webhookSecrets.optional(),
  WEBHOOK_SENDERS_WHOOP: networks.default([]),
  WHOOP_API_URL: url.default('https://api.prod.whoop.com/developer'),
  WHOOP_AUTHORIZE_URL: url.default('https://api.prod.whoop.com/oauth/oauth2/auth'),
  WHOOP_TOKEN_URL: url.default('https://api.prod.whoop.com/oauth/oauth2/token'),
  WHOOP_CLIENT_ID: z.string().optional(),
  WHOOP_CLIENT_SECRET: z.string().optional(),
  WHOOP_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(100),
  WHOOP_REQUESTS_PER_DAY: whole(1, 100_000_000).default(10_000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const profilePath = '/v2/user/profile/basic';
const Profile = z.object({ user_id: z.union([z.int(), z.string().min(1).max(100)]).transform(String) });

const Event = z.object({
  user_id: z.union([z.int(), z.string().min(1).max(100)]).transform(String),
  id: z.union([z.int(), z.string().min(1).max(100)]).transform(String),
  type: z.string().max(60),
});

/** A recovery is named by its sleep; the cycle of its day changes with it and has no event of its own. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  sleep: ['sleep'],
  workout: ['workout'],
  recovery: ['recovery', 'cycle'],
};

function read(body: Buffer): Hint[] | null {
  const event = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (event === undefined) return null;
  const names = ownValue(typesOf, event.type.split('.')[0] ?? '') ?? [];
  return names.length === 0
    ? []
    : [{ kind: 'changed', account: event.user_id, types: names, span: null, id: event.id }];
}

/** WHOOP, API v2. */
export const whoop = {
  title: 'WHOOP',
  colour: '#5d8017',
  ...listed,
  settings,
  names: settingNames('WHOOP'),
  normaliserVersion: 4,
  fields: fieldsOf(collections),
  projectClientRefusal: 'Its notifications are signed with the client secret of the settings.',
  oauth: {
    authorizeUrl: ({ WHOOP_AUTHORIZE_URL }: Settings) => new URL(WHOOP_AUTHORIZE_URL),
    tokenUrl: ({ WHOOP_TOKEN_URL }: Settings) => new URL(WHOOP_TOKEN_URL),
    // Without `offline` there is no refresh token.
    scope: 'read:recovery read:cycles read:sleep read:workout read:profile offline',
    usesPkce: false,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: profilePath,
      readAccount: (text) => Profile.safeParse(jsonOrNull(text)).data?.user_id ?? null,
      scope: null,
    },
    isScopeEnough: (scope) => Object.values(types).some(({ isGranted }) => isGranted(scope)),
    revocation: {
      url: ({ WHOOP_API_URL }: Settings) => apiPath(WHOOP_API_URL, '/v2/user/access'),
      method: 'DELETE',
      sendsTokenInForm: false,
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['x-whoop-signature', 'x-whoop-signature-timestamp'],
    subscriptionSettings: [],
    body: withoutData,
  },
  shares: ['activities', 'heart_rate', 'oxygen_saturation', 'sleep', 'profile'],
  cadenceHours: { heart_rate: 36, sleep: 36 },
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        user_id: 10129,
        id: '550e8400-e29b-41d4-a716-446655440000',
        type: 'sleep.updated',
        trace_id: 'a1',
      },
      authentication: {
        by: 'hmac',
        header: 'x-whoop-signature',
        timeHeader: 'x-whoop-signature-timestamp',
        encoding: 'base64',
        secret: ({ WHOOP_CLIENT_SECRET }: Settings) => WHOOP_CLIENT_SECRET,
      },
      read,
    },
    types,
    probe: { path: profilePath },
    failure: failureByStatus('x-ratelimit-reset'),
    limits: [
      limit('application', ({ WHOOP_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs),
      limit('application', ({ WHOOP_REQUESTS_PER_DAY: most }: Settings) => most, dayMs),
    ],
    pace,
    // The address is set by hand at the provider.
    subscription: null,
  },
} as const satisfies Provider;
