import { z } from 'zod';
import type { Hint, Notifications } from '../../domain/provider/notifications.ts';
import type { Provider, Reply, SubscriptionEnding } from '../../domain/provider/provider.ts';
import type { AccountSubscription, Span } from '../../domain/provider/pulled-provider.ts';
import { CalendarDate, dateToMs, dayMs, earliestMs, minuteMs } from '../../domain/time/time.ts';
import { apiPath, jsonEvents, limit, listed, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { bodyOf, failureOf, plainReply } from './calls.ts';
import { fields, types } from './types.ts';

type Type = keyof typeof types;

/** The categories that are subscribed to, and the types that each concerns. `profile` reports the end of the access. */
const categories: Readonly<Record<number, { readonly scope: string; readonly types: readonly Type[] }>> = {
  1: { scope: 'user.metrics', types: ['measures'] },
  2: { scope: 'user.metrics', types: ['measures'] },
  4: { scope: 'user.metrics', types: ['measures'] },
  16: { scope: 'user.activity', types: ['days', 'intraday', 'workouts'] },
  44: { scope: 'user.activity', types: ['sleep'] },
};
const profile = 46;

const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);

const Form = z.object({
  userid: z.string().regex(/^\d{1,20}$/),
  appli: wholeNumber,
  action: z.string().optional(),
  startdate: wholeNumber.optional().catch(undefined),
  enddate: wholeNumber.optional().catch(undefined),
  date: CalendarDate.optional().catch(undefined),
});

function read(body: Buffer): Hint[] | null {
  const fields = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  const form = Form.safeParse(fields).data;
  if (form === undefined) return null;
  const { userid: account, appli, action = '' } = form;
  if (appli === profile) return ['unlink', 'delete'].includes(action) ? [{ kind: 'access', account }] : [];
  const { types = [] } = categories[appli] ?? {};
  return types.length === 0 ? [] : [{ kind: 'changed', account, types, span: spanOf(form) }];
}

/** A span that a notification may demand: a longer one keeps its end. */
const longestMs = 3 * dayMs;

function spanOf({ startdate, enddate, date }: z.output<typeof Form>): Span | null {
  if (startdate !== undefined && enddate !== undefined) {
    const { startMs, endMs } = { startMs: startdate * 1000, endMs: enddate * 1000 + 1000 };
    if (endMs <= startMs || endMs < earliestMs) return null;
    return { startMs: Math.max(startMs, endMs - longestMs), endMs };
  }
  // A local day lies within these bounds in every time zone.
  const startMs = date === undefined ? null : dateToMs(date) - dayMs / 2;
  return startMs === null ? null : { startMs, endMs: startMs + 2 * dayMs };
}

/** Unsigned forms. Only the secret address shows that a notification is Withings' own, and it is a hint even then. */
const notifications: Notifications = {
  ...jsonEvents,
  kind: 'notify',
  form: 'form',
  answersProbe: true,
  read,
  example: { userid: '10000001', appli: '1', startdate: '1772433000', enddate: '1772433001' },
  authentication: { by: 'address' },
};

const path = '/notify';
const list = { path, form: { action: 'list' } };
const Profiles = z.array(z.object({ appli: z.coerce.number(), callbackurl: z.string().catch('') }));
const profilesOf = (reply: Reply) => Profiles.safeParse(bodyOf(reply)?.profiles ?? []).data ?? null;

/** The categories to subscribe to with a scope. */
const wantedWith = (scope: readonly string[]): number[] => [
  ...Object.entries(categories).flatMap(([appli, one]) => (scope.includes(one.scope) ? [Number(appli)] : [])),
  ...(scope.includes('user.info') ? [profile] : []),
];

/** One subscription per user and category. They may end without a word, so they are listed each day. */
const subscription: AccountSubscription = {
  of: 'account',
  everyMs: dayMs,
  list: () => list,
  missing(_, reply, { address, scope }) {
    const profiles = profilesOf(reply);
    if (profiles === null) return null;
    const held = new Set(profiles.filter((one) => one.callbackurl === address).map(({ appli }) => appli));
    const form = { action: 'subscribe', callbackurl: address, comment: 'pulsebus' };
    return wantedWith(scope)
      .filter((appli) => !held.has(appli))
      .map((appli) => ({ path, form: { ...form, appli: String(appli) } }));
  },
};

/** There is no request that ends the access. All subscriptions of the account end, those of former addresses too. */
export const subscriptionEnding: SubscriptionEnding = {
  ends: 'subscriptions',
  list,
  requests(listed) {
    const profiles = bodyOf(listed) === null ? null : profilesOf(listed);
    return (
      profiles?.map(({ appli, callbackurl }) => ({
        path,
        form: { action: 'revoke', callbackurl, appli: String(appli) },
      })) ?? null
    );
  },
};

const settings = {
  WEBHOOK_SECRET_WITHINGS: webhookSecrets.optional(),
  WEBHOOK_SENDERS_WITHINGS: networks.default([]),
  WITHINGS_API_URL: url.default('https://wbsapi.withings.net'),
  WITHINGS_AUTHORIZE_URL: url.default('https://account.withings.com/oauth2_user/authorize2'),
  WITHINGS_CLIENT_ID: z.string().optional(),
  WITHINGS_CLIENT_SECRET: z.string().optional(),
  WITHINGS_REQUESTS_PER_MINUTE: whole(1, 100_000).default(120),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const TokenAnswer = z.object({ userid: Id });

const probe = { path: '/v2/user', form: { action: 'getdevice' } };

/** Withings: the public health data API. */
export const withings = {
  title: 'Withings',
  colour: '#17847b',
  ...listed,
  settings,
  names: settingNames('WITHINGS'),
  normaliserVersion: 5,
  fields,
  plainReply,
  projectClientRefusal: null,
  oauth: {
    authorizeUrl: ({ WITHINGS_AUTHORIZE_URL }: Settings) => new URL(WITHINGS_AUTHORIZE_URL),
    tokenUrl: ({ WITHINGS_API_URL }: Settings) => apiPath(WITHINGS_API_URL, '/v2/oauth2'),
    scope: 'user.info,user.metrics,user.activity',
    usesPkce: false,
    tokenFields: { action: 'requesttoken' },
    clientAuthentication: 'form',
    grant: {
      from: 'token-answer',
      readAccount: (body) => TokenAnswer.safeParse(body).data?.userid ?? null,
    },
    isScopeEnough: (scope) => scope.includes('user.metrics') || scope.includes('user.activity'),
    revocation: subscriptionEnding,
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: [],
    body: withoutData,
  },
  shares: [
    'daily_activity',
    'activities',
    'heart_rate',
    'oxygen_saturation',
    'sleep',
    'body',
    'blood_pressure',
    'profile',
  ],
  cadenceHours: { daily_activity: 48, heart_rate: 48, sleep: 48 },
  pull: {
    notifications,
    types,
    probe,
    failure: failureOf,
    limits: [limit('application', ({ WITHINGS_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs)],
    // Retries of a notification come within 10 s and then minutes apart.
    pace: { settleMs: 2000, floorMs: 5000 },
    subscription,
  },
} as const satisfies Provider;
