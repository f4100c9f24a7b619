import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { cancelBackfillRun } from '../../../services/pull-ingest/actions/backfill.ts';
import {
  addConnections,
  deleteUser,
  endConnection,
} from '../../../services/pull-ingest/tables/connections.ts';
import {
  claimReadings,
  demandReads,
  postponeReading,
  releaseReading,
} from '../../../services/pull-ingest/tables/readings.ts';
import { insertBackfill } from '../../../services/pull-ingest/tables/runs.ts';
import { pullPace } from '../../../services/pull-ingest/work/pace.ts';
import { workReading } from '../../../services/pull-ingest/work/read-jobs.ts';
import { upkeepJobs } from '../../../services/pull-ingest/work/upkeep.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const config = loadConfig({});
const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const noPace = { settleMs: 0, floorMs: 0 };
const { signal } = new AbortController();

type Provider = 'withings' | 'googlehealth';

async function connect(
  provider: Provider = 'withings',
  { connection_id = randomUUID(), user_id = randomUUID(), connected_at = '2026-01-01T00:00:00Z' } = {},
) {
  const connection = { connection_id, user_id, connected_at };
  await addConnections(database, provider, [connection], { sweeps: [], subscribes: false });
  return connection;
}

const demand = (
  connection_id: string,
  type = 'measures',
  span: Parameters<typeof demandReads>[1][0]['span'] = null,
) => demandReads(database, [{ connection_id, type, span }], noPace);

/** Claims the only row that is due. */
async function claimed() {
  const [row, ...others] = await claimReadings(database, 10, minuteMs);
  if (row === undefined || others.length > 0) throw new Error(`${others.length} other rows`);
  return row;
}

interface RowState {
  readonly failures: number;
  readonly is_due: boolean;
  readonly wait_ms: number;
  readonly cursor: string | null;
}

const stateOf = (connectionId: string) =>
  database.query<RowState>(
    `select failures, cursor, run_at is not null as is_due, (extract(epoch from run_at - now()) * 1000)::float8 as wait_ms
     from pull.reading where connection_id = $1 order by run_at`,
    [connectionId],
  );

t.afterEach(() => database.query('delete from pull.connection'));

t.test('of a connection that is made again nothing of the former account remains', async (t) => {
  const connection = await connect();
  await demand(connection.connection_id);
  await connect('withings', connection);
  t.equal((await stateOf(connection.connection_id)).length, 1, 'the same connection');
  await connect('withings', { ...connection, connected_at: '2026-02-01T00:00:00Z' });
  t.same(await stateOf(connection.connection_id), []);
});

t.test('the data of one provider is deleted alone, that of a user as a whole', async (t) => {
  const { user_id } = await connect('withings');
  for (const provider of ['googlehealth', 'googlehealth'] as const)
    await connect(provider, { connection_id: randomUUID(), user_id });
  const other = await connect();
  t.equal(await deleteUser(database, user_id, 'googlehealth'), 2);
  t.equal(await deleteUser(database, user_id, null), 1);
  t.equal(await deleteUser(database, other.user_id, null), 1);
});

t.test('nothing is read of a connection that has ended', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  await endConnection(database, connection_id);
  t.match(await stateOf(connection_id), [{ is_due: false }]);
});

t.test('a wait is no failure, and a success ends the failures in a row', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  await postponeReading(database, await claimed(), { delayMs: 0, reason: null });
  t.match(await stateOf(connection_id), [{ failures: 0 }]);
  await postponeReading(database, await claimed(), { delayMs: 0, reason: 'NO_ANSWER' });
  t.match(await stateOf(connection_id), [{ failures: 1 }]);
  await releaseReading(database, await claimed(), 0);
  t.match(await stateOf(connection_id), [{ failures: 0, is_due: false }]);
});

t.test('what is demanded during a read is read afterwards', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  const row = await claimed();
  await demand(connection_id);
  await releaseReading(database, row, 0);
  t.match(await claimed(), { taken_cursor: true });
});

t.test('a backfill in progress is not replaced', async (t) => {
  const { connection_id } = await connect();
  const insert = () =>
    insertBackfill(database, connection_id, { startMs: 0, endMs: dayMs }, [
      { type: 'measures', parts: 1, reason: null },
    ]);
  t.ok(await insert());
  t.notOk(await insert());
});

t.test('a backfill that is cancelled is told in the audit, once', async (t) => {
  const { connection_id, user_id } = await connect();
  const types = [{ type: 'measures', parts: 1, reason: null }];
  await insertBackfill(database, connection_id, { startMs: 0, endMs: dayMs }, types);
  const deps = { database, call: async () => ({ id: connection_id }), origin: systemOrigin('test') };
  const cancel = () => cancelBackfillRun(deps as never, { user_id, provider: 'withings' });
  t.match([await cancel(), await cancel()], [{ status: 'cancelled' }, { status: 'cancelled' }]);
  const told = 'select action, actor, subject_id from auth.audit_entry where user_id = $1';
  t.same(await database.query(told, [user_id]), [
    { action: 'backfill.cancelled', actor: 'system:test', subject_id: connection_id },
  ]);
});

/** Works on a row with a provider that answers a body, and services that answer nothing. */
function working(body: object, holds: () => Promise<boolean>, scope: readonly string[] = ['user.metrics']) {
  const calls: string[] = [];
  const call = async (name: string) => {
    calls.push(name);
    return name === 'users.connection' ? { scope } : [];
  };
  const bearer = { kind: 'token', token: 'a', version: 1, connection_id: '', connected_at: '' } as const;
  const deps = {
    ...{ database, config, pace: pullPace, logger: { info: () => {}, warn: () => {} } },
    tokens: { bearer: async () => bearer, worked: async () => {}, expire: async () => {} },
    api: {
      request: async () => {
        const text = JSON.stringify({ status: 0, body });
        return { status: 200, headers: new Headers(), text, tries: 1 };
      },
    },
    broker: { metrics: { increment: () => {}, register: () => {} } },
    call,
  };
  const work = async () =>
    workReading(deps as unknown as Parameters<typeof workReading>[0], await claimed(), { signal, holds });
  return { calls, work };
}

const weight = { grpid: 1, date: 1_767_268_800, category: 1, modified: Math.floor(Date.now() / 1000) };
const weights = { measuregrps: [{ ...weight, measures: [{ value: 70, type: 1, unit: 0 }] }] };

t.test('a read from a cursor moves it, and stores nothing once its lease is lost', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  const late = working(weights, async () => false);
  await late.work();
  t.same(late.calls, ['users.connection'], 'its successor may have stored newer data');
  await database.query('update pull.reading set run_at = now()');
  const held = working(weights, async () => true);
  t.equal(await held.work(), 'done');
  t.ok(held.calls.includes('timeseries.store'));
  t.match(await stateOf(connection_id), [{ cursor: String(weight.modified) }]);
});

t.test('a read that fails too often is given up', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  const { work } = working(weights, async () => {
    throw new Error('the lease cannot be read');
  });
  t.equal(await work(), 'later');
  t.match(await stateOf(connection_id), [{ failures: 1, is_due: true }]);
  await database.query('update pull.reading set failures = 60, run_at = now()');
  t.equal(await work(), 'dead');
  t.match(await stateOf(connection_id), [{ is_due: false }]);
});

t.test('a type that the user did not grant is not read', async (t) => {
  const { connection_id } = await connect();
  await demand(connection_id);
  const { calls, work } = working(weights, async () => true, ['user.activity']);
  t.equal(await work(), 'withheld');
  t.same(calls, ['users.connection']);
});

/** The upkeep job of a name, with service users that has so many active connections of Withings. */
async function upkeep(name: string, connections = 0) {
  const all = Array.from({ length: connections }, () => ({
    ...{ connection_id: randomUUID(), user_id: randomUUID(), connected_at: '2026-01-01T00:00:00Z' },
  }));
  const call = async (
    _: string,
    { provider, after, limit }: { provider: string; after: string; limit: number },
  ) => {
    const from = all.findIndex(({ connection_id }) => connection_id === after) + 1;
    return provider === 'withings' ? all.slice(from, from + limit) : [];
  };
  const deps = { database, config, call, pace: pullPace, rowJobs: { notify: () => {} } };
  const job = upkeepJobs(deps as unknown as Parameters<typeof upkeepJobs>[0]).find(
    ({ kind }) => kind.name === name,
  );
  const given = { key: name, payload: {}, created_at: new Date(), failures: 0 };
  await job?.work(given as never, { signal, holds: async () => true });
}

t.test('all active connections are found, page by page', async (t) => {
  await upkeep('pull-ingest.connections', 1001);
  const [row] = await database.query('select count(*)::int as n from pull.connection');
  t.same(row, { n: 1001 });
});

t.test('a sweep reads the days that its type states', async (t) => {
  const { connection_id } = await connect();
  await database.query(
    `insert into pull.sweep (connection_id, type, number, due_at) values ($1, 'intraday', 0, now())`,
    [connection_id],
  );
  await upkeep('pull-ingest.sweeps');
  const { taken } = await claimed();
  t.same(
    taken.map(([from, to]) => Math.round((to - from) / dayMs)),
    [2],
  );
});
