import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { ownValue } from '../../domain/own-value.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import type { Pull, Span } from '../../domain/provider/pulled-provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { instantWithOffset } from '../../domain/recipe/read-fields.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { jsonEvents, limit, listed, pace, settingNames } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const Workout = z.object({ workoutKey: Id.optional(), startTime: z.int().positive().optional() });
const Event = z.object({
  type: z.string().max(60),
  username: z.string().min(1).max(100),
  workoutid: Id.optional(),
  workoutKey: Id.optional(),
  workout: Workout.optional().catch(undefined),
  samples: z
    .array(z.object({ timestamp: z.string().max(60) }).catch({ timestamp: '' }))
    .optional()
    .catch(undefined),
});
type Event = z.output<typeof Event>;

/** Routes are not read. Deletions have no events: the daily read of the last days finds them. */
const typesOf: Readonly<Record<string, string>> = {
  WORKOUT_CREATED: 'workout',
  SUUNTO_247_SLEEP_CREATED: 'sleep',
  SUUNTO_247_ACTIVITY_CREATED: 'activity',
  SUUNTO_247_RECOVERY_CREATED: 'recovery',
};

/** What an event names. Its samples and its workout are not stored: they say what is read. */
function read(body: Buffer): Hint[] | null {
  const event = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (event === undefined) return null;
  const type = ownValue(typesOf, event.type);
  if (type === undefined) return [];
  const id = event.workoutid ?? event.workoutKey ?? event.workout?.workoutKey;
  const hint = { kind: 'changed', account: event.username, types: [type], span: spanOf(event) } as const;
  return [id === undefined ? hint : { ...hint, id }];
}

/** From the first time of the event to its last. Null: it names none, and the last days are read. */
function spanOf({ workout, samples = [] }: Event): Span | null {
  const times = samples.flatMap(({ timestamp }) => instantWithOffset(timestamp)?.ms ?? []);
  if (workout?.startTime !== undefined) times.push(workout.startTime);
  const [startMs, endMs] = [Math.min(...times), Math.max(...times) + 1];
  return times.length === 0 ? null : { startMs, endMs };
}

const settings = {
  WEBHOOK_SECRET_SUUNTO: webhookSecrets.optional(),
  WEBHOOK_SENDERS_SUUNTO: networks.default([]),
  SUUNTO_API_URL: url.default('https://cloudapi.suunto.com'),
  SUUNTO_AUTHORIZE_URL: url.default('https://cloudapi-oauth.suunto.com/oauth/authorize'),
  SUUNTO_TOKEN_URL: url.default('https://cloudapi-oauth.suunto.com/oauth/token'),
  SUUNTO_CLIENT_ID: z.string().optional(),
  SUUNTO_CLIENT_SECRET: z.string().optional(),
  SUUNTO_SUBSCRIPTION_KEY: z.string().optional().describe('the subscription key of the API'),
  SUUNTO_NOTIFICATION_SECRET: z.string().optional().describe('the secret that notifications are signed with'),
  // The limit is that of the operator's subscription, of which the notes name no number.
  SUUNTO_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(60),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const Tokens = z.object({ access_token: z.string().max(16_384) });
const Claims = z.object({ user: z.string().min(1).max(100) });

/** The claim `user` of the access token, a JWT. It comes from the token endpoint itself, so that its signature is not checked. */
function readAccount(body: unknown): string | null {
  const [, claims = ''] = Tokens.safeParse(body).data?.access_token.split('.') ?? [];
  return Claims.safeParse(jsonOrNull(Buffer.from(claims, 'base64url').toString('utf8'))).data?.user ?? null;
}

/** A 401 that names the subscription key is about the operator's setting, not about the token of a user: assumed. */
const isKeyRefused = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
  status === 401 && /subscription key/i.test(text);

const byStatus = failureByStatus();
const failure: Pull['failure'] = (reply, nowMs) =>
  isKeyRefused(reply) ? { kind: 'later', reason: 'SUBSCRIPTION_KEY_REFUSED' } : byStatus(reply, nowMs);

const probe = { path: '/v3/workouts/', query: { limit: '1' } } as const;

/** Suunto, Cloud API. */
export const suunto = {
  title: 'Suunto',
  colour: '#1f7ead',
  ...listed,
  settings,
  names: settingNames('SUUNTO'),
  normaliserVersion: 4,
  fields: fieldsOf(collections),
  apiHeaders: ({ SUUNTO_SUBSCRIPTION_KEY: key }: Settings): Readonly<Record<string, string>> =>
    key === undefined ? {} : { 'Ocp-Apim-Subscription-Key': key },
  projectClientRefusal: 'Its notifications are signed with a secret of the settings.',
  oauth: {
    authorizeUrl: ({ SUUNTO_AUTHORIZE_URL }: Settings) => new URL(SUUNTO_AUTHORIZE_URL),
    tokenUrl: ({ SUUNTO_TOKEN_URL }: Settings) => new URL(SUUNTO_TOKEN_URL),
    // The notes name no scopes: whoever consents shares everything.
    scope: null,
    usesPkce: false,
    clientAuthentication: 'basic',
    grant: { from: 'token-answer', readAccount },
    isScopeEnough: () => true,
    // The notes name no request that ends our access: the user does so at the provider.
    revocation: null,
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['x-hmac-sha256-signature'],
    subscriptionSettings: ['SUUNTO_NOTIFICATION_SECRET', 'SUUNTO_SUBSCRIPTION_KEY'],
    // The deliveries contain data of the user.
    body: {
      form: 'single-event',
      accountsOf: (fields: ReadonlyMap<string, string | undefined>) => {
        const user = fields.get('username');
        return user === undefined ? null : [user];
      },
    },
  },
  shares: ['activities', 'daily_activity', 'heart_rate', 'oxygen_saturation', 'sleep'],
  cadenceHours: { daily_activity: 48, sleep: 48 },
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        type: 'WORKOUT_CREATED',
        username: 'weekdayrunner',
        workout: { workoutKey: '67604889401b942184624cb8', startTime: 1_772_438_400_000 },
      },
      bodyLimitBytes: 1_048_576,
      authentication: {
        by: 'hmac',
        header: 'x-hmac-sha256-signature',
        encoding: 'hex',
        secret: ({ SUUNTO_NOTIFICATION_SECRET }: Settings) => SUUNTO_NOTIFICATION_SECRET,
      },
      read,
    },
    types,
    probe,
    failure,
    limits: [limit('application', ({ SUUNTO_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs)],
    pace,
    // The address is set by hand at the provider.
    subscription: null,
  },
} as const satisfies Provider;
