// A provider from outside of the tree: a maker of bands that lists nights and workouts. To run it in the sandbox:
//   PROVIDERS=./examples/provider/acme.ts npm start
import * as recipe from 'pulsebus/provider';

const { kept, networks, url, webhookSecrets, whole, z } = recipe;

const settings = {
  WEBHOOK_SECRET_ACME: webhookSecrets.optional(),
  WEBHOOK_SENDERS_ACME: networks.default([]),
  ACME_API_URL: url.default('https://api.acme.example'),
  ACME_AUTHORIZE_URL: url.default('https://acme.example/oauth/authorize'),
  ACME_TOKEN_URL: url.default('https://acme.example/oauth/token'),
  ACME_CLIENT_ID: z.string().optional(),
  ACME_CLIENT_SECRET: z.string().optional(),
  ACME_REQUESTS_PER_MINUTE: whole(1, 100_000).default(120),
};
type Settings = recipe.z.output<recipe.z.ZodObject<typeof settings>>;

const list = (path: string): recipe.ListRead => ({
  path,
  query: { limit: '50' },
  records: 'data',
  span: { start: 'from', end: 'to', form: 'instant', beforeDays: 2 },
  page: { field: 'cursor', next: 'next_cursor' },
});
const common = { device: 'Acme Band', longestSpanDays: 30, recentDays: 3, sweepDays: 7 };
const times = {
  id: kept(null, 'key'),
  start: kept('ISO 8601', 'start_time'),
  end: kept('ISO 8601', 'end_time'),
  offset: kept(null, 'zone_offset'),
} as const;

const collections = {
  sleep: {
    ...common,
    scopes: ['sleep'],
    read: list('/v1/sleeps'),
    fields: {
      ...times,
      deep_minutes: kept('min', 'sleep.deep_seconds'),
      light_minutes: kept('min', 'sleep.light_seconds'),
      rem_minutes: kept('min', 'sleep.rem_seconds'),
      awake_minutes: kept('min', 'sleep.awake_seconds'),
      resting_heart_rate: kept('bpm', 'series.resting_heart_rate'),
    },
  },
  workout: {
    ...common,
    scopes: ['workouts'],
    read: list('/v1/workouts'),
    fields: {
      ...times,
      sport: kept(null, 'workout.raw_type', 'workout.type'),
      distance: kept('km', 'workout.distance_meters'),
      energy: kept('kcal', 'workout.calories_kcal'),
      average_heart_rate: kept('bpm', 'workout.avg_heart_rate_bpm'),
      note: recipe.like('a note', recipe.notKept('a text of the user')),
    },
  },
} satisfies Record<string, recipe.Collection>;

const Account = z.object({ user: z.string().min(1).max(100) });
const Event = z.object({ account: z.string(), id: z.string(), type: z.string() });

function read(body: Buffer): recipe.Hint[] | null {
  const event = Event.safeParse(recipe.jsonOrNull(body.toString('utf8'))).data;
  if (event === undefined) return null;
  const [type = ''] = event.type.split('.');
  return [{ kind: 'changed', account: event.account, types: [type], span: null, id: event.id }];
}

export default recipe.defineProvider({
  version: 1,
  name: 'acme',
  provider: {
    title: 'Acme',
    colour: '#6a5a1e',
    settings,
    normaliserVersion: 1,
    projectClientRefusal: 'Its notifications are signed with the client secret of the settings.',
    shares: ['sleep', 'activities', 'heart_rate'],
    cadenceHours: { sleep: 36 },
    oauth: {
      authorizeUrl: ({ ACME_AUTHORIZE_URL }: Settings) => new URL(ACME_AUTHORIZE_URL),
      tokenUrl: ({ ACME_TOKEN_URL }: Settings) => new URL(ACME_TOKEN_URL),
      scope: 'sleep workouts',
      usesPkce: true,
      clientAuthentication: 'basic',
      grant: { from: 'token-answer', readAccount: (body) => Account.safeParse(body).data?.user ?? null },
      revocation: {
        url: ({ ACME_API_URL }: Settings) => recipe.apiPath(ACME_API_URL, '/v1/access'),
        method: 'DELETE',
        sendsTokenInForm: false,
      },
    },
    webhooks: {
      clientIdHeaders: [],
      keptHeaders: ['acme-signature'],
      subscriptionSettings: [],
      body: recipe.withoutData,
    },
    pull: {
      notifications: {
        ...recipe.jsonEvents,
        example: { account: '10129', id: 'a1b2c3', type: 'sleep.updated' },
        authentication: {
          by: 'hmac',
          header: 'acme-signature',
          encoding: 'hex',
          secret: ({ ACME_CLIENT_SECRET }: Settings) => ACME_CLIENT_SECRET,
        },
        read,
      },
      probe: { path: '/v1/me' },
      failure: recipe.failureByStatus('retry-after'),
      limits: [
        recipe.limit('application', ({ ACME_REQUESTS_PER_MINUTE: most }: Settings) => most, recipe.minuteMs),
      ],
      pace: recipe.pace,
      subscription: null,
    },
  },
  collections,
  twin: {
    hasAccount: ({ key }) => key === 'shift-worker',
    account: (user) => ({ user }),
    event: ({ type, operation }) => ({ type: `${type}.${operation === 'delete' ? 'deleted' : 'updated'}` }),
  },
});
