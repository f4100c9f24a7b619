import t, { type Test } from 'tap';
import type { Queryable } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { ReplicaGate } from '../../mixins/database/replica-gate.ts';
import { startBroker, testConfig } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

/** A server that answers with the given rows, one after the other; the last one again and again. */
function server(...rows: readonly (object | Error)[]): Queryable & { asked(): number } {
  let asked = 0;
  return {
    asked: () => asked,
    async query() {
      const row = rows[Math.min(asked, rows.length - 1)];
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (row instanceof Error) throw row;
      return (row === undefined ? [] : [row]) as never;
    },
  };
}

const at = (position: string, identity = '7 00000001', has_all = true) => ({ identity, position, has_all });

t.test('a replica is read exactly if it has replayed what was answered', async (t) => {
  const cases: [object | Error, (object | Error)[], boolean][] = [
    [at('0/10'), [at('0/10')], true],
    [at('0/10'), [at('0/0F'), at('0/10')], true],
    [at('0/10'), [at('0/0F')], false],
    [at('1/0'), [at('0/FFFFFFFF')], false],
    [at('A/0'), [at('9/FFFFFFFF'), at('A/0')], true],
    [at('0/10'), [at('0/20', '8 00000001')], false],
    [at('0/10', '7 00000002'), [at('0/20', '7 00000001')], false],
    [at('0/10'), [], false],
    [at('0/10'), [new Error('away')], false],
    [new Error('away'), [at('0/1')], true],
    [new Error('away'), [at('0/1', '7 00000001', false)], false],
    [new Error('away'), [new Error('away')], false],
  ];
  const found: boolean[] = [];
  for (const [primary, replica] of cases)
    found.push(await new ReplicaGate(server(primary), server(...replica)).isFresh());
  t.strictSame(
    found,
    cases.map(([, , fresh]) => fresh),
  );
});

t.test(
  'calls share a question that begins after them, and a late replica is not asked again at once',
  async (t) => {
    const primary = server(at('0/10'), at('0/20'));
    const replica = server(at('0/10'), at('0/10'));
    const gate = new ReplicaGate(primary, replica, () => 0);
    const first = gate.isFresh();
    const later = [gate.isFresh(), gate.isFresh(), gate.isFresh()];
    t.strictSame(
      await Promise.all([first, ...later]),
      [true, false, false, false],
      'the later ones saw the later position',
    );
    t.equal(primary.asked(), 2);
    t.equal(await gate.isFresh(), false);
    t.equal(primary.asked(), 2);
  },
);

t.test(
  'a late replica is asked again after 20 ms, one that fails after a second, and each time later',
  async (t) => {
    const askedAt = async (answer: object | Error) => {
      let now = 0;
      const primary = server(at('0/10'));
      const gate = new ReplicaGate(primary, server(answer), () => now);
      const times: number[] = [];
      for (; now < 12_000; now += 20) {
        const before = primary.asked();
        t.equal(await gate.isFresh(), false);
        if (primary.asked() > before) times.push(now);
      }
      return times;
    };
    const late = [0, 20, 60, 140, 300, 620, 1260, 2540, 5100, 9100];
    t.strictSame(await askedAt(at('0/0F')), late);
    t.strictSame(await askedAt(new Error('away')), [0, 1000, 3000, 7000, 11_000]);
  },
);

t.test('a replica that stands still holds up no read for long', async (t) => {
  const silent: Queryable = { query: () => new Promise(() => undefined) };
  t.equal(await new ReplicaGate(server(at('0/10')), silent).isFresh(), false);
});

/** A database, and a way to it that looks like a replica: functions of a schema `replica` stand before PostgreSQL's. */
async function replicated(t: Test) {
  const database = await freshDatabase(t);
  await database.query(`
    create schema replica;
    create table replica.state (position pg_lsn, is_standby bool);
    insert into replica.state values ('0/0', true);
    create function replica.pg_is_in_recovery() returns bool language sql as 'select is_standby from replica.state';
    create function replica.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select position from replica.state';
    create function replica.pg_last_wal_receive_lsn() returns pg_lsn language sql as 'select position from replica.state';
    create table replica.place (name text);
    insert into replica.place values ('replica');
    create table public.place (name text);
    insert into public.place values ('primary')`);
  const url = `${database.url}?options=-c%20search_path%3Dreplica%2Cpg_catalog`;
  const { broker, call } = await startBroker(t, { databaseUrl: database.url, services: [] });
  const start = async (readUrl: string) => {
    const config = testConfig({ databaseUrl: database.url, settings: { DATABASE_READ_URL: readUrl } });
    const onStop = (release: () => unknown) => t.teardown(release);
    return reads()({ broker, call, config, logger: broker.logger, onStop });
  };
  return { database, url, start };
}

const place = 'select name from place';

t.test('reads go to a replica that is up to date, and to the primary otherwise', async (t) => {
  const { database, url, start } = await replicated(t);
  const fresh = await start(url);
  t.strictSame(await fresh.query(place), [{ name: 'primary' }], 'a late one is not read');
  await database.query("update replica.state set position = 'FFFFFFFF/0'");
  await until(async () => (await fresh.query(place))[0]?.name === 'replica', 'the replica that caught up');
  const other = await start(url);
  t.strictSame(await other.query(place), [{ name: 'replica' }]);
  t.strictSame(
    await fresh.transaction((on) => on.query(place)),
    [{ name: 'primary' }],
    'transactions may write',
  );
  await t.rejects(fresh.query('select 1 / 0'), { code: '22012' }, 'an error of the statement is its answer');
  t.strictSame(await fresh.query(place), [{ name: 'replica' }]);
  await database.query('alter table replica.place rename to gone');
  await database.query('update replica.state set is_standby = false');
  t.strictSame(await fresh.query(place), [{ name: 'primary' }], 'a promoted replica is read as the primary');
});

t.test('without the replica, reads go to the primary', async (t) => {
  const { database, start } = await replicated(t);
  const away = new URL(database.url);
  away.port = '1';
  const value = await start(away.href);
  t.strictSame(
    await Promise.all([value.query(place), value.query(place)]),
    [{ name: 'primary' }, { name: 'primary' }].map((row) => [row]),
  );
});
