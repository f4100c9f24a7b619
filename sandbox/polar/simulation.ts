import { dayMs } from '../../domain/time/time.ts';
import { endAccess } from '../listed/access.ts';
import type { ListedAccount, ListedRecord, ListedRoute, ListedWorld } from '../listed/listed.ts';
import { failure, recordsIn } from '../listed/records.ts';
import { listedSimulation } from '../listed/simulation.ts';
import { type HttpRequest, ok, type Reply } from '../server/http.ts';
import { kinds } from './kinds.ts';
import { webhookRoutes } from './webhooks.ts';

const shownDays = { activities: 30, sleep: 28, recharge: 28 } as const;

/** A read of the API, which gives nothing before the account is registered. */
type Read = (world: ListedWorld, account: ListedAccount, request: HttpRequest) => Reply;

function lastDays(world: ListedWorld, account: ListedAccount, kind: keyof typeof shownDays): ListedRecord[] {
  const endMs = world.clock.nowMs() + 1;
  return recordsIn(world, account, kind, { startMs: endMs - shownDays[kind] * dayMs, endMs });
}

/** The records of a query by dates, at most 28 days. */
const byDates =
  (kind: string, answer: (records: readonly ListedRecord[]) => unknown): Read =>
  (world, account, { query }) => {
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
    const [startMs, endMs] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
    if (!(endMs - startMs >= 0 && endMs - startMs < 28 * dayMs)) return failure(400, 'invalid range');
    const around = { startMs: startMs - dayMs, endMs: endMs + 2 * dayMs };
    const found = recordsIn(world, account, kind, around);
    return ok(answer(found.filter(({ fields: { date } }) => String(date) >= from && String(date) <= to)));
  };

const fieldsOf = (records: readonly ListedRecord[]) => records.map(({ fields }) => fields);

function heartRates(records: readonly ListedRecord[]): object {
  const days = Map.groupBy(records, ({ fields }) => fields.date);
  const heart_rates = [...days].map(([date, pieces]) => ({
    date,
    heart_rate_samples: pieces.flatMap(({ fields }) => fields.heart_rate_samples),
  }));
  return { heart_rates };
}

const missing = failure(404, 'not found');
const oneOf = (kind: 'activities' | 'sleep', param: string): Read => {
  return (world, account, { params }) => {
    const found = lastDays(world, account, kind).find(({ id }) => id === params[param]);
    return found === undefined ? missing : ok(found.fields);
  };
};

// The samples of an exercise are in its own answer.
const exercises: Read = (world, account) =>
  ok(lastDays(world, account, 'activities').map(({ fields: { samples: _, ...listed } }) => listed));

const reads: Readonly<Record<string, Read>> = {
  '/v3/exercises': exercises,
  '/v3/exercises/:id': oneOf('activities', 'id'),
  '/v3/users/sleep/available': (world, account) =>
    ok({ available: lastDays(world, account, 'sleep').map(({ fields: { date } }) => ({ date })) }),
  '/v3/users/sleep/:date': oneOf('sleep', 'date'),
  '/v3/users/nightly-recharge': (world, account) =>
    ok({ recharges: fieldsOf(lastDays(world, account, 'recharge')) }),
  '/v3/users/activities': byDates('days', (records) =>
    records.map(({ fields: { date: _, ...fields } }) => fields),
  ),
  '/v3/users/continuous-heart-rate': byDates('heart_rate', heartRates),
  '/v3/users/cardio-load/date': byDates('cardio_load', fieldsOf),
};

function routes(world: ListedWorld): ListedRoute[] {
  const scope = 'accesslink.read_all';
  return [
    ...Object.entries(reads).map(
      ([path, read]): ListedRoute => ({
        method: 'GET',
        path,
        scope,
        handle: (account, request) =>
          account.registered ? read(world, account, request) : failure(403, 'not registered'),
      }),
    ),
    {
      method: 'POST',
      path: '/v3/users',
      scope: null,
      handle(account) {
        if (account.registered) return failure(409, 'registered already');
        account.registered = true;
        world.store.save();
        return ok({ 'polar-user-id': Number(account.id) });
      },
    },
    {
      method: 'DELETE',
      path: '/v3/users/:id',
      scope: null,
      handle(account, { params }) {
        if (params.id !== account.id) return failure(403, 'another account');
        account.registered = false;
        endAccess(world, account);
        return { status: 204 };
      },
    },
  ];
}

const events: Readonly<Record<string, string>> = {
  activities: 'EXERCISE',
  sleep: 'SLEEP',
  days: 'ACTIVITY_SUMMARY',
  heart_rate: 'CONTINUOUS_HEART_RATE',
};

/** A maker of watches: exercises with samples, nights, recharges, days, heart rates and loads. Deletions are not notified. */
export const polar = listedSimulation({
  name: 'polar',
  title: 'Polar',
  hasAccount: ({ key }) => key === 'half-day-wearer',
  scopes: ['accesslink.read_all'],
  kinds,
  authorizePath: '/oauth2/authorization',
  tokenPath: '/v2/oauth2/token',
  refresh: 'lasts',
  tokenFields: ({ id }) => ({ x_user_id: Number(id) }),
  settings: (base, { client_id, client_secret }) => ({
    POLAR_API_URL: base,
    POLAR_AUTHORIZE_URL: `${base}/oauth2/authorization`,
    POLAR_TOKEN_URL: `${base}/v2/oauth2/token`,
    POLAR_CLIENT_ID: client_id,
    POLAR_CLIENT_SECRET: client_secret,
  }),
  eventOf({ id: user }, { type, id, operation, ms }) {
    const event = events[type];
    if (event === undefined || operation === 'delete') return null;
    const entity_id = id.split(' ')[0];
    const url = `https://www.polaraccesslink.com/v3/${entity_id}`;
    return { event, user_id: Number(user), entity_id, timestamp: new Date(ms).toISOString(), url };
  },
  signature: { header: 'Polar-Webhook-Signature', encoding: 'hex', with: 'own' },
  webhookPath: '/events',
  routes,
  applicationRoutes: webhookRoutes,
});
