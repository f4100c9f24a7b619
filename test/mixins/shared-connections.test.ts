import pg from 'pg';
import t, { type Test } from 'tap';
import { SharedConnections } from '../../mixins/database/shared-connections.ts';
import { freshDatabase } from '../support/servers/database.ts';

const ownPid = 'select pg_backend_pid() as pid';

const never = Number.POSITIVE_INFINITY;

// Connections are late only where a test is about that: a busy machine is slower than the limit.
async function connections(t: Test, max: number, lateMs = never, longestMs?: number) {
  const { url } = await freshDatabase(t);
  const pool = new pg.Pool({ connectionString: url, max, pipeline: true });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  t.teardown(() => pool.end());
  const shared = new SharedConnections(pool, lateMs, longestMs);
  const one = async (text: string, n: number) => {
    const query = { name: text, text: text.replace('select ', 'select $1::int as n, '), values: [n] };
    return (await shared.query<{ pid: number; n: number }>(query)).rows;
  };
  const all = async (count: number, text = ownPid) =>
    (await Promise.all(Array.from({ length: count }, (_, n) => one(text, n)))).flat();
  return { pool, shared, all };
}

/** Locks that are waited for. Other test files wait for those of other databases of the server. */
const ungranted = `from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

t.test('statements of one moment share a connection, eight at most', async (t) => {
  const { pool, all } = await connections(t, 4, never, never);
  const answers = await all(20);
  t.strictSame(
    answers.map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
    'each has its own answer',
  );
  t.equal(new Set(answers.map(({ pid }) => pid)).size, 3);
  t.equal(pool.totalCount, 3);
  t.equal(pool.idleCount, 3, 'all are returned');
});

t.test('more statements than connections take are all answered', async (t) => {
  const { pool, all } = await connections(t, 1);
  const answers = await all(50);
  t.equal(new Set(answers.map(({ pid }) => pid)).size, 1);
  t.equal(pool.idleCount, 1);
});

t.test('a statement that fails fails alone', async (t) => {
  const { pool, shared, all } = await connections(t, 1);
  const [before, failed, after] = await Promise.allSettled([
    all(3),
    shared.query({ text: 'select 1 / $1::int', values: [0] }),
    all(3),
  ]);
  t.equal(before.status, 'fulfilled');
  t.match(failed, { status: 'rejected', reason: { code: '22012' } });
  t.equal(after.status, 'fulfilled');
  t.equal(pool.totalCount, 0, 'its connection is closed');
  t.equal((await all(2)).length, 2);
});

t.test('a statement that waits does not hold up those that come later', async (t) => {
  const { pool, shared } = await connections(t, 3, 5);
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(1)');
  let isOver = false;
  const waits = shared.query({ text: 'select pg_advisory_lock(1)' }).then(() => {
    isOver = true;
  });
  const isWaiting = `select ${ungranted}`;
  while ((await holder.query(isWaiting)).rowCount === 0);
  const begun = performance.now();
  while (performance.now() - begun < 10);
  t.equal((await shared.query({ text: ownPid })).rowCount, 1);
  t.notOk(isOver);
  await holder.query('select pg_advisory_unlock_all()');
  await waits;
  holder.release();
});

t.test('a transaction gets the only connection under steady load', async (t) => {
  const { pool, all } = await connections(t, 1);
  let isOver = false;
  const load = Array.from({ length: 7 }, async () => {
    while (!isOver) await all(1, 'select pg_sleep(0.002)'); // so that they are answered one by one
  });
  const client = await pool.connect();
  t.equal((await client.query(ownPid)).rowCount, 1);
  client.release();
  isOver = true;
  await Promise.all(load);
});

t.test('a connection that is lost fails the statements on it only', async (t) => {
  const { pool, shared, all } = await connections(t, 2);
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(2)');
  const waiting = Promise.allSettled([
    shared.query({ text: 'select pg_advisory_lock(2)' }),
    shared.query({ text: ownPid }),
  ]);
  const waits = `select pid ${ungranted}`;
  let pid: number | undefined;
  while (pid === undefined) pid = (await holder.query<{ pid: number }>(waits)).rows[0]?.pid;
  await holder.query('select pg_terminate_backend($1)', [pid]);
  const results = await waiting;
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  holder.release();
  const next = await all(3);
  t.notOk(next.some((one) => one.pid === pid));
});

t.test('without a server all that wait fail, and those after its return do not', async (t) => {
  const { pool, all } = await connections(t, 2);
  const { port } = pool.options;
  pool.options.port = 1;
  const { connectionString } = pool.options;
  pool.options.connectionString = 'postgres://127.0.0.1:1/none';
  const results = await Promise.allSettled([all(3), all(2)]);
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  Object.assign(pool.options, { port, connectionString });
  t.equal((await all(2)).length, 2);
});
