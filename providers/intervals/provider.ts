import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { dayMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, pace, settingNames } from '../listed.ts';
import { flag, networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const settings = {
  WEBHOOK_SECRET_INTERVALS: webhookSecrets.optional(),
  WEBHOOK_SENDERS_INTERVALS: networks.default([]),
  INTERVALS_API_URL: url.default('https://intervals.icu'),
  INTERVALS_AUTHORIZE_URL: url.default('https://intervals.icu/oauth/authorize'),
  INTERVALS_TOKEN_URL: url.default('https://intervals.icu/api/oauth/token'),
  INTERVALS_CLIENT_ID: z.string().optional(),
  INTERVALS_CLIENT_SECRET: z.string().optional(),
  INTERVALS_NOTIFICATION_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe('the secret that notifications contain'),
  INTERVALS_LEAVE_OUT_CONNECTED: flag
    .default(false)
    .describe(
      '`true` leaves out the activities that came from a provider to which the user is connected here',
    ),
  // Those of an API key: assumed to hold for an application too.
  INTERVALS_REQUESTS_PER_15_MINUTES: whole(1, 1_000_000).default(2500),
  INTERVALS_REQUESTS_PER_DAY: whole(1, 100_000_000).default(5000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const TokenAnswer = z.object({ athlete: z.object({ id: Id }) });
const Event = z.object({
  athlete_id: Id,
  type: z.string().max(60),
  activity: z.object({ id: Id }).nullish().catch(undefined),
});
const Events = z.object({ events: z.array(z.unknown()).max(1000) });

/** Events of the calendar and of other kinds change nothing that is read. */
const typesOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ACTIVITY_UPLOADED: ['activities'],
    ACTIVITY_ANALYZED: ['activities'],
    WELLNESS_UPDATED: ['wellness'],
  }),
);

// An event that cannot be read does not cost the others.
function read(body: Buffer): Hint[] | null {
  const { data } = Events.safeParse(jsonOrNull(body.toString('utf8')));
  if (data === undefined) return null;
  return data.events.flatMap((one): Hint[] => {
    const event = Event.safeParse(one).data;
    const named = event === undefined ? [] : (typesOf.get(event.type) ?? []);
    if (event === undefined || named.length === 0) return [];
    const id = event.activity?.id;
    const hint = { kind: 'changed', account: event.athlete_id, types: named, span: null } as const;
    return [id === undefined ? hint : { ...hint, id }];
  });
}

/** Intervals.icu, API v1. Most of its data came from other providers. */
export const intervals = {
  title: 'Intervals.icu',
  colour: '#c2410c',
  ...listed,
  settings,
  names: settingNames('INTERVALS'),
  normaliserVersion: 1,
  fields: fieldsOf(collections),
  isAggregator: true,
  projectClientRefusal: 'Its notifications contain a secret of the settings.',
  oauth: {
    authorizeUrl: ({ INTERVALS_AUTHORIZE_URL }: Settings) => new URL(INTERVALS_AUTHORIZE_URL),
    tokenUrl: ({ INTERVALS_TOKEN_URL }: Settings) => new URL(INTERVALS_TOKEN_URL),
    scope: 'ACTIVITY:READ,WELLNESS:READ',
    usesPkce: false,
    clientAuthentication: 'form',
    grant: {
      from: 'token-answer',
      readAccount: (body) => TokenAnswer.safeParse(body).data?.athlete.id ?? null,
    },
    isScopeEnough: (scope) => Object.values(types).some(({ isGranted }) => isGranted(scope)),
    revocation: {
      url: ({ INTERVALS_API_URL }: Settings) => apiPath(INTERVALS_API_URL, '/api/v1/disconnect-app'),
      method: 'DELETE',
      sendsTokenInForm: false,
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: ['INTERVALS_NOTIFICATION_SECRET'],
    // A body has events of several accounts.
    body: { form: 'items-by-type' },
  },
  shares: [
    'activities',
    'daily_activity',
    'heart_rate',
    'oxygen_saturation',
    'body',
    'blood_pressure',
    'nutrition',
    'profile',
  ],
  cadenceHours: {},
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        secret: 'a secret',
        events: [
          {
            athlete_id: 'i12345',
            type: 'ACTIVITY_ANALYZED',
            timestamp: '2026-03-02T09:31:00.000Z',
            activity: { id: 'i678' },
          },
        ],
      },
      bodyLimitBytes: 1_048_576,
      authentication: {
        by: 'body-secret',
        member: 'secret',
        secret: ({ INTERVALS_NOTIFICATION_SECRET }: Settings) => INTERVALS_NOTIFICATION_SECRET,
      },
      read,
    },
    types,
    // A day of the past, which also a user without activities has.
    probe: {
      path: '/api/v1/athlete/0/activities',
      query: { oldest: '2026-01-01', newest: '2026-01-02', limit: '1' },
    },
    failure: failureByStatus(),
    leavesOutConnected: ({ INTERVALS_LEAVE_OUT_CONNECTED }: Settings) => INTERVALS_LEAVE_OUT_CONNECTED,
    limits: [
      limit('application', ({ INTERVALS_REQUESTS_PER_15_MINUTES: most }: Settings) => most, 15 * minuteMs),
      limit('application', ({ INTERVALS_REQUESTS_PER_DAY: most }: Settings) => most, dayMs),
    ],
    pace,
    // The address is set by the provider, by mail.
    subscription: null,
  },
} as const satisfies Provider;
