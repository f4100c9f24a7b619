import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { ownValue } from '../../domain/own-value.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import type {
  ApplicationSubscription,
  PullFailure,
  PullReply,
  PullRequest,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { CalendarDate, dateToMs, dayMs, hourMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const webhooksPath = '/v3/webhooks';
const subscribedEvents: readonly string[] = [
  'EXERCISE',
  'SLEEP',
  'CONTINUOUS_HEART_RATE',
  'ACTIVITY_SUMMARY',
];

/** The webhook of the application in a list of at most one. `active` is assumed to be false once it is deactivated. */
const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean().nullish(),
});
const Listed = z.object({ data: z.array(Webhook) });
const Created = z.object({ data: z.object({ signature_secret_key: z.string().min(1) }) });

function webhooksIn({ status, text }: PullReply): readonly z.output<typeof Webhook>[] | null {
  if (status === 204 || status === 404) return [];
  return status === 200 ? (Listed.safeParse(jsonOrNull(text)).data?.data ?? null) : null;
}

function readSubscription(_: Settings, reply: PullReply, address: string): SubscriptionState {
  const all = webhooksIn(reply);
  if (all === null) return 'unknown';
  const [webhook] = all;
  if (webhook === undefined || !isComplete(webhook, address)) return 'missing';
  return webhook.active === false ? 'off' : 'active';
}

const isComplete = (webhook: z.output<typeof Webhook>, address: string): boolean =>
  webhook.url === address && subscribedEvents.every((event) => webhook.events.includes(event));

function renewals(_: Settings, reply: PullReply, address: string): PullRequest[] {
  const all = webhooksIn(reply);
  if (all === null) return [];
  const [webhook] = all;
  const json = { events: subscribedEvents, url: address };
  if (webhook === undefined) return [{ path: webhooksPath, json }];
  const changed = isComplete(webhook, address) ? [] : [changing(webhook.id, { method: 'PATCH', json })];
  const off = webhook.active === false ? [{ path: `${webhooksPath}/activate`, method: 'POST' } as const] : [];
  return [...changed, ...off];
}

const changing = (id: string, how: Pick<PullRequest, 'method' | 'json'>): PullRequest => ({
  path: `${webhooksPath}/${encodeURIComponent(id)}`,
  ...how,
});

/** The webhook of the application. The provider deactivates it after seven days of failures. */
const subscription = {
  of: 'application',
  everyMs: hourMs,
  proof({ POLAR_CLIENT_ID: id, POLAR_CLIENT_SECRET: secret }: Settings) {
    return id === undefined || secret === undefined ? null : { client: { id, secret } };
  },
  check: () => ({ path: webhooksPath }),
  read: readSubscription,
  renewals,
  // It is shown once, when the webhook is made.
  secretOf: ({ text }) => Created.safeParse(jsonOrNull(text)).data?.data.signature_secret_key ?? null,
  endings: (reply) => (webhooksIn(reply) ?? []).map(({ id }) => changing(id, { method: 'DELETE' })),
} as const satisfies ApplicationSubscription;

const settings = {
  WEBHOOK_SECRET_POLAR: webhookSecrets.optional(),
  WEBHOOK_SENDERS_POLAR: networks.default([]),
  POLAR_API_URL: url.default('https://www.polaraccesslink.com'),
  POLAR_AUTHORIZE_URL: url.default('https://flow.polar.com/oauth2/authorization'),
  POLAR_TOKEN_URL: url.default('https://polarremote.com/v2/oauth2/token'),
  POLAR_CLIENT_ID: z.string().optional(),
  POLAR_CLIENT_SECRET: z.string().optional(),
  // The limits grow with the number of users; these are assumed for the first ones.
  POLAR_REQUESTS_PER_15_MIN: whole(1, 1_000_000).default(500),
  POLAR_REQUESTS_PER_DAY: whole(1, 100_000_000).default(5000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const scope = 'accesslink.read_all';
const quarterMs = 15 * minuteMs;
const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const TokenAnswer = z.object({ x_user_id: Id });
const Event = z.object({
  event: z.string(),
  user_id: Id,
  entity_id: Id.optional(),
  date: z.string().optional(),
});

/** A night's recharge and a day's load have no events of their own. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  EXERCISE: ['activities'],
  SLEEP: ['sleep', 'recharge'],
  ACTIVITY_SUMMARY: ['days', 'cardio_load'],
  CONTINUOUS_HEART_RATE: ['heart_rate'],
};

// The address in an event is not used. Its id may be a date, as assumed of all events but those of exercises.
function read(body: Buffer): Hint[] | null {
  const given = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (given === undefined) return null;
  const { event, user_id: account, entity_id: id, date = id } = given;
  const names = ownValue(typesOf, event) ?? [];
  if (names.length === 0) return [];
  const day = CalendarDate.safeParse(date).data;
  const startMs = day === undefined ? null : dateToMs(day) - dayMs;
  const span = startMs === null ? null : { startMs, endMs: startMs + 3 * dayMs };
  return [{ kind: 'changed', account, types: names, span, ...(id === undefined ? {} : { id }) }];
}

/**
 * The headers of an answer with the wait of the window that is used up as `retry-after`, from `RateLimit-Limit`, `-Usage` and
 * `-Reset`, each with a value for a short and a long window.
 */
function withWindowReset(headers: PullReply['headers']): PullReply['headers'] {
  const [limits = [], usages = [], resets = []] = ['limit', 'usage', 'reset'].map((name) =>
    (headers[`ratelimit-${name}`] ?? '').split(',').map((text) => text.trim()),
  );
  const usedUp = limits.findLastIndex((limit, index) => Number(usages[index]) >= Number(limit));
  const wait = resets[Math.max(0, usedUp)] ?? '';
  return wait === '' ? headers : { 'retry-after': wait, ...headers };
}

const failure = (reply: PullReply, nowMs: number): PullFailure | null =>
  failureByStatus()({ ...reply, headers: withWindowReset(reply.headers) }, nowMs);

const isPing = (body: Buffer): boolean =>
  z.object({ event: z.literal('PING') }).safeParse(jsonOrNull(body.toString('utf8'))).success;

/** Polar, AccessLink API v3. */
export const polar = {
  title: 'Polar',
  colour: '#da2b82',
  ...listed,
  settings,
  names: settingNames('POLAR'),
  normaliserVersion: 5,
  fields: fieldsOf(collections),
  projectClientRefusal: 'Its notifications are signed with a secret of the subscription of the settings.',
  oauth: {
    authorizeUrl: ({ POLAR_AUTHORIZE_URL }: Settings) => new URL(POLAR_AUTHORIZE_URL),
    tokenUrl: ({ POLAR_TOKEN_URL }: Settings) => new URL(POLAR_TOKEN_URL),
    scope,
    usesPkce: false,
    clientAuthentication: 'basic',
    grant: {
      from: 'token-answer',
      readAccount: (body) => TokenAnswer.safeParse(body).data?.x_user_id ?? null,
    },
    isScopeEnough: (granted) => granted.includes(scope),
    registration: {
      path: '/v3/users',
      // One of our users may connect another account later, and a member has one account.
      json: ({ userId, account }) => ({ 'member-id': `${userId}-${account}` }),
      knownStatus: 409,
    },
    revocation: {
      url: ({ POLAR_API_URL }: Settings, account: string) =>
        apiPath(POLAR_API_URL, `/v3/users/${encodeURIComponent(account)}`),
      method: 'DELETE',
      sendsTokenInForm: false,
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['polar-webhook-signature'],
    subscriptionSettings: ['POLAR_CLIENT_ID', 'POLAR_CLIENT_SECRET'],
    body: withoutData,
  },
  shares: ['activities', 'daily_activity', 'heart_rate', 'sleep', 'routes'],
  cadenceHours: { daily_activity: 48, sleep: 48 },
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        event: 'EXERCISE',
        user_id: 475,
        entity_id: 'aQlC83',
        timestamp: '2026-03-02T09:05:00Z',
        url: 'https://www.polaraccesslink.com/v3/exercises/aQlC83',
      },
      authentication: { by: 'hmac', header: 'polar-webhook-signature', encoding: 'hex', secret: 'stored' },
      // The check of a new webhook is not signed.
      isHandshake: isPing,
      read,
    },
    types,
    probe: { path: '/v3/users/sleep/available' },
    failure,
    limits: [
      limit('application', ({ POLAR_REQUESTS_PER_15_MIN: most }: Settings) => most, quarterMs),
      limit('application', ({ POLAR_REQUESTS_PER_DAY: most }: Settings) => most, dayMs),
    ],
    pace,
    subscription,
  },
} as const satisfies Provider;
