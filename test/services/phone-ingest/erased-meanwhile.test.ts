import t from 'tap';
import type { Row } from '../../../mixins/database/database.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { type Call, typedCall } from '../../../runtime/environment.ts';
import { createCode } from '../../../services/phone-ingest/actions/invitation-codes.ts';
import { userLockKey } from '../../../services/timeseries/tables/erasures.ts';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { type App, installApp, phase, record } from './app.ts';

/* The data of a user is erased while work on the user's uploads waits for a lock that the test holds. */
const api = await startApi(t, { SANDBOX: 'off' });
const { database } = api;
const at = (time: string) => `2026-03-02T${time}:00Z`;
const night = () => [phase('deep', at('00:00'), at('04:00')), phase('rem', at('04:00'), at('06:00'))];

const tablesWithUsers = `
  select table_name as name from information_schema.columns
  where table_schema = $1 and column_name = 'user_id' order by 1`;

/** The tables of the service that have a row of a user. */
async function placesOf({ userId }: App, schema = 'phone'): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await database.query<{ name: string }>(tablesWithUsers, [schema])) {
    const rows = await database.query(`select from ${schema}.${name} where user_id = $1`, [userId]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Holds what a statement locks until the returned function is called. */
async function hold(statement: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query(statement, values);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

const holdStore = ({ userId }: App) => hold(`select pg_advisory_xact_lock(${userLockKey('$1')})`, [userId]);

/** Waits until some statement waits for a lock. */
const untilWaiting = (text: string, n = 1) =>
  until(async () => {
    const waiting = `
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`;
    return (await database.query<Row>(waiting, [text])).length >= n;
  }, `${text} waits`);

const forget = ({ userId }: App) => api.broker.call('phone-ingest.forgetUser', { user_id: userId });
const isErased = async ({ userId }: App) =>
  (await database.query(`select from jobs.job where kind = 'users.erasure' and key = $1`, [userId]))
    .length === 0;

const untilIdle = async ({ userId }: App) => {
  await until(async () => {
    const open = `select from deliveries.delivery where state not in ('done', 'dead') union all
      select from jobs.job where kind = 'phone-ingest.nights' and key = $1`;
    return (await database.query(open, [userId])).length === 0;
  }, 'no work is left');
};

t.test('an upload in work writes nothing after its user was deleted', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [record('STEP_COUNT', at('07:00'), 5)] });
  const release = await holdStore(app);
  const upload = app.send('sync', {
    ...{ provider: 'apple', sdkVersion: '1', syncTimestamp: at('10:00') },
    data: {
      records: [record('HEART_RATE', at('08:00'), 60), record('UNKNOWN_TYPE', at('08:00'), 1)],
      sleep: night(),
    },
  });
  await untilWaiting('pg_advisory_xact_lock');
  const deleted = api.expect(200, `/users/${app.userId}`, { method: 'DELETE' });
  await untilWaiting('pg_advisory_xact_lock', 2);
  await until(async () => (await placesOf(app)).length === 0, 'the service has forgotten the user');
  await release();
  await Promise.all([upload, deleted]);
  await untilIdle(app);
  await until(() => isErased(app));
  t.same(await placesOf(app), []);
});

t.test('nights in work are not written after their user was deleted', async (t) => {
  const app = await installApp(api);
  const release = await holdStore(app);
  await app.sync({ sleep: night() });
  await untilWaiting('pg_advisory_xact_lock');
  await forget(app);
  await release();
  await untilIdle(app);
  t.same(await placesOf(app), []);
});

t.test('a phase that changes while its night is computed is counted as it is now', async (t) => {
  const app = await installApp(api);
  const release = await holdStore(app);
  const [deep, rem] = night();
  await app.sync({ sleep: [deep, rem] });
  await untilWaiting('pg_advisory_xact_lock');
  await app.sync({ sleep: [{ ...rem, endDate: at('07:00') }] });
  await release();
  await untilIdle(app);
  const nights = 'select end_time, asleep_seconds from phone.night where user_id = $1';
  t.match(await database.query(nights, [app.userId]), [
    { end_time: new Date(at('07:00')), asleep_seconds: 7 * 3600 },
  ]);
});

t.test('a purge waits for what is being written, and takes it along', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [record('STEP_COUNT', at('07:00'), 5)] });
  const release = await hold('lock table phone.sync_type in access exclusive mode');
  const logs = app.send('logs', {
    events: [
      {
        ...{ eventType: 'historical_data_sync_start', timestamp: at('10:00') },
        ...{ dataTypeCounts: [{ type: 'STEP_COUNT', count: 5 }], timeRange: {} },
      },
    ],
  });
  await untilWaiting('phone.sync_type');
  const version = 1_000_000;
  const purged = api.broker.call('phone-ingest.purge', { user_id: app.userId, provider: 'phone', version });
  await untilWaiting('delete from phone.fence');
  await release();
  await Promise.all([logs, purged]);
  await untilIdle(app);
  t.same(
    (await placesOf(app)).filter((name) => name !== 'fence'),
    [],
  );
});

t.test('a code that is being made does not outlive its user', async (t) => {
  const app = await installApp(api);
  // The user is forgotten right after the service has asked for the user.
  const call: Call = async (...asked: Parameters<Call>) => {
    const answer = await typedCall(api.broker)(...asked);
    await forget(app);
    return answer;
  };
  const origin = systemOrigin('phone-ingest');
  await t.rejects(createCode({ database, call, origin }, app.userId, null), {
    type: 'SERVICE_UNAVAILABLE',
    code: 503,
  });
  t.same(await placesOf(app), []);
});

t.test('work on a user who is not connected leaves no fence', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [record('STEP_COUNT', at('07:00'), 5)] });
  t.same(
    await placesOf(app),
    ['fence', 'receipt'].filter((name) => name !== 'receipt'),
  );
  await api.expect(200, `/users/${app.userId}`, { method: 'DELETE' });
  await until(() => isErased(app));
  t.same(await placesOf(app), []);
  const late = await api.ask(`/api/v1/users/${app.userId}/invitation-code`, {
    token: api.developerToken,
    method: 'POST',
  });
  t.equal(late.status, 404);
  t.same(await placesOf(app), []);
});
