import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { instantWithOffset } from '../../domain/recipe/read-fields.ts';
import { dayMs, hourMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const settings = {
  WEBHOOK_SECRET_WAHOO: webhookSecrets.optional(),
  WEBHOOK_SENDERS_WAHOO: networks.default([]),
  WAHOO_API_URL: url.default('https://api.wahooligan.com'),
  WAHOO_AUTHORIZE_URL: url.default('https://api.wahooligan.com/oauth/authorize'),
  WAHOO_TOKEN_URL: url.default('https://api.wahooligan.com/oauth/token'),
  WAHOO_FILES_URL: url.default('https://cdn.wahooligan.com').describe('where the FIT files of workouts are'),
  WAHOO_CLIENT_ID: z.string().optional(),
  WAHOO_CLIENT_SECRET: z.string().optional(),
  WAHOO_WEBHOOK_TOKEN: z.string().min(1).optional().describe('the token that notifications contain'),
  // The limits of an application after the review. Before it they are 25, 100 and 250.
  WAHOO_REQUESTS_PER_5_MINUTES: whole(1, 1_000_000).default(200),
  WAHOO_REQUESTS_PER_HOUR: whole(1, 10_000_000).default(1000),
  WAHOO_REQUESTS_PER_DAY: whole(1, 100_000_000).default(5000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const userPath = '/v1/user';
const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const User = z.object({ id: Id });

const Workout = z.object({ id: Id, starts: z.string().max(60).optional().catch(undefined) });
const Event = z.object({
  // The published description of the events has another name of the member than their recorded bodies.
  event_type: z.string().max(60).optional(),
  event: z.string().max(60).optional(),
  user: User,
  workout_summary: z.object({ workout: Workout.optional() }),
  workout: Workout.optional(),
});

/** A created or edited summary names its workout, with the start. The address of its file is not used: the workout is read. */
function read(body: Buffer): Hint[] | null {
  const named = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (named === undefined) return null;
  if ((named.event_type ?? named.event) !== 'workout_summary') return [];
  const workout = named.workout_summary.workout ?? named.workout;
  const startMs = instantWithOffset(workout?.starts)?.ms;
  const span = startMs === undefined ? null : { startMs, endMs: startMs + 1 };
  const hint = { kind: 'changed', account: named.user.id, types: ['activities'], span } as const;
  return [workout === undefined ? hint : { ...hint, id: workout.id }];
}

/** Wahoo, Cloud API v1. */
export const wahoo = {
  title: 'Wahoo',
  colour: '#2b6cb8',
  ...listed,
  settings,
  names: settingNames('WAHOO'),
  normaliserVersion: 1,
  fields: fieldsOf(collections),
  projectClientRefusal: 'Its notifications contain a token of the settings.',
  oauth: {
    authorizeUrl: ({ WAHOO_AUTHORIZE_URL }: Settings) => new URL(WAHOO_AUTHORIZE_URL),
    tokenUrl: ({ WAHOO_TOKEN_URL }: Settings) => new URL(WAHOO_TOKEN_URL),
    // Without `offline_data` there are no notifications and no refresh tokens.
    scope: 'user_read workouts_read offline_data',
    usesPkce: false,
    clientAuthentication: 'form',
    // That the token answer has the granted scope is assumed.
    grant: {
      from: 'requests',
      accountPath: userPath,
      readAccount: (text) => User.safeParse(jsonOrNull(text)).data?.id ?? null,
      scope: null,
    },
    isScopeEnough: (scope) => scope.includes('workouts_read') && scope.includes('offline_data'),
    revocation: {
      url: ({ WAHOO_API_URL }: Settings) => apiPath(WAHOO_API_URL, '/v1/permissions'),
      method: 'DELETE',
      sendsTokenInForm: false,
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: ['WAHOO_WEBHOOK_TOKEN'],
    body: withoutData,
  },
  shares: ['activities', 'heart_rate', 'routes', 'profile'],
  cadenceHours: {},
  pull: {
    notifications: {
      ...jsonEvents,
      bodyLimitBytes: 65_536,
      example: {
        event_type: 'workout_summary',
        webhook_token: 'a-token-of-the-developer-page',
        user: { id: 60462 },
        workout_summary: { id: 8297, workout: { id: 140473420, starts: '2026-03-01T08:00:00.000Z' } },
      },
      authentication: {
        by: 'body-secret',
        member: 'webhook_token',
        secret: ({ WAHOO_WEBHOOK_TOKEN }: Settings) => WAHOO_WEBHOOK_TOKEN,
      },
      read,
    },
    types,
    probe: { path: userPath },
    failure: failureByStatus({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' }),
    limits: [
      limit('application', ({ WAHOO_REQUESTS_PER_5_MINUTES: most }: Settings) => most, 5 * minuteMs),
      limit('application', ({ WAHOO_REQUESTS_PER_HOUR: most }: Settings) => most, hourMs),
      limit('application', ({ WAHOO_REQUESTS_PER_DAY: most }: Settings) => most, dayMs),
    ],
    pace,
    // The address and the token are set by hand on the developer page.
    subscription: null,
  },
} as const satisfies Provider;
