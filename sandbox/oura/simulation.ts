import { isoTime } from '../../domain/time/time.ts';
import { endAccess } from '../listed/access.ts';
import type { ListedAccount, ListedRoute, ListedWorld } from '../listed/listed.ts';
import { failure, recordsIn, spanOf, tokenPage } from '../listed/records.ts';
import { listedSimulation } from '../listed/simulation.ts';
import { type HttpRequest, ok, type Reply } from '../server/http.ts';
import { kinds } from './kinds.ts';
import { isSubscribed, subscribe, subscriptionRoutes } from './subscriptions.ts';

const dayMs = 86_400_000;
const mostSpanMs = 30 * dayMs;
const perPage = 200;
const notified = Object.keys(kinds).filter((kind) => kind !== 'heartrate');

/** A page of the records of some days. The end is excluded. */
function daysPage(world: ListedWorld, account: ListedAccount, kind: string, request: HttpRequest): Reply {
  const span = spanOf(request, 'start_date', 'end_date', 'date');
  if (span === null) return failure(400, 'invalid_request');
  const around = { startMs: span.startMs - 2 * dayMs, endMs: span.endMs + 2 * dayMs };
  const found = recordsIn(world, account, kind, around).filter(({ fields: { day } }) => {
    const ms = Date.parse(`${String(day)}T00:00:00Z`);
    return ms >= span.startMs && ms < span.endMs;
  });
  return pageOf(found, request);
}

function ratesPage(world: ListedWorld, account: ListedAccount, request: HttpRequest): Reply {
  const span = spanOf(request, 'start_datetime', 'end_datetime', 'instant');
  if (span === null || span.endMs - span.startMs > mostSpanMs) return failure(400, 'invalid_request');
  return pageOf(recordsIn(world, account, 'heartrate', span), request);
}

function pageOf(found: Parameters<typeof tokenPage>[0], { query }: HttpRequest): Reply {
  const { fields, next } = tokenPage(found, query.get('next_token'), perPage);
  return ok({ data: fields, next_token: next });
}

function routes(world: ListedWorld): ListedRoute[] {
  const lists = Object.entries(kinds).map(
    ([kind, { scope }]): ListedRoute => ({
      method: 'GET',
      path: `/v2/usercollection/${kind === 'vo2_max' ? 'vO2_max' : kind}`,
      scope,
      handle: (account, request) =>
        kind === 'heartrate' ? ratesPage(world, account, request) : daysPage(world, account, kind, request),
    }),
  );
  return [
    ...lists,
    {
      method: 'GET',
      path: '/v2/usercollection/personal_info',
      scope: null,
      handle: ({ id }) => ok({ id, age: 34, email: 'ring@example.com', weight: 70, height: 1.75 }),
    },
    {
      method: 'POST',
      path: '/oauth/revoke',
      scope: null,
      handle(account, { query }) {
        const token = query.get('access_token');
        if (!account.grants.some((one) => one.access_token === token)) return failure(400, 'invalid_request');
        endAccess(world, account);
        return ok({});
      },
    },
  ];
}

/** A maker of rings that lists days by their local date, and notifies of them by subscription. */
export const oura = listedSimulation({
  name: 'oura',
  title: 'Oura',
  hasAccount: ({ key }) => key === 'shift-worker',
  scopes: [
    'personal',
    'daily',
    'heartrate',
    'workout',
    'session',
    'spo2',
    'extapi:stress',
    'extapi:heart_health',
  ],
  kinds,
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  refresh: 'rotates',
  settings: (base, { client_id, client_secret }, { secret }) => ({
    OURA_API_URL: base,
    OURA_AUTHORIZE_URL: `${base}/oauth/authorize`,
    OURA_TOKEN_URL: `${base}/oauth/token`,
    OURA_CLIENT_ID: client_id,
    OURA_CLIENT_SECRET: client_secret,
    OURA_VERIFICATION_TOKEN: secret,
  }),
  eventOf({ id: user_id }, { type: data_type, id: object_id, operation: event_type, ms }, own) {
    if (!isSubscribed(own, data_type, event_type)) return null;
    return { event_type, data_type, object_id, event_time: isoTime(ms), user_id };
  },
  pointed: (own, url) => subscribe(own, url, notified),
  signature: {
    header: 'x-oura-signature',
    time: { header: 'x-oura-timestamp', of: (ms) => String(Math.floor(ms / 1000)) },
    encoding: 'hex',
    isUpperCase: true,
    with: 'client',
  },
  webhookPath: '/events',
  routes,
  applicationRoutes: subscriptionRoutes,
});
