import pg from 'pg';
import t, { type Test } from 'tap';
import { migrateUp } from '../../migrations/migrate.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { orm } from '../../mixins/database/orm.ts';
import { connectionChoice, newClient } from '../../runtime/database/database-client.ts';
import { startBroker, testConfig } from '../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/database.ts';
import { type FakeHost, hostBefore, standbyHost } from '../support/servers/database-servers.ts';

const closed = '127.0.0.1:1';

function urlOf({ url }: TestDatabase, ...hosts: readonly (FakeHost | string)[]): string {
  const { host } = new URL(url);
  const list = hosts.map((one) => (typeof one === 'string' ? one : one.address));
  return `${url.replace(`@${host}/`, `@${list.join(',')}/`)}?target_session_attrs=read-write`;
}

function poolOf(t: Test, url: string) {
  const pool = new pg.Pool({ ...connectionChoice(url), max: 3 });
  pool.on('error', () => undefined);
  t.teardown(() => pool.end());
  return databaseOf(pool);
}

t.test('connections go to the host that takes writes, in any order of the list', async (t) => {
  const database = await freshDatabase(t);
  const [primary, standby] = [await hostBefore(t, database.url), await standbyHost(t)];
  for (const hosts of [
    [closed, standby, primary],
    [primary, closed, standby],
  ]) {
    const pool = poolOf(t, urlOf(database, ...hosts));
    t.strictSame(await pool.query('select current_database() as name'), [
      { name: new URL(database.url).pathname.slice(1) },
    ]);
    t.ok(primary.connections() > 0);
    t.strictSame(await pool.transaction((on) => on.query('select $1::int as n', [7])), [{ n: 7 }]);
  }
});

t.test('without a host that takes writes, the error is that of a write on a standby', async (t) => {
  const database = await freshDatabase(t);
  const pool = poolOf(t, urlOf(database, closed, await standbyHost(t)));
  await t.rejects(pool.query('select 1'), { code: '25006' });
  await t.rejects(Promise.all([pool.query('select 1'), pool.query('select 2')]), { code: '25006' });
});

t.test('after the primary vanished, the same pool works on the next one', async (t) => {
  const database = await freshDatabase(t);
  const [first, second] = [await hostBefore(t, database.url), await hostBefore(t, database.url)];
  const pool = poolOf(t, urlOf(database, first, second));
  await Promise.all([pool.query('select 1'), pool.query('select 2')]);
  // Both take writes on the same timeline: the first of the list is chosen.
  t.ok(first.connections() > 0);
  const inWork = pool.query('select pg_sleep(60)');
  await first.vanish();
  await t.rejects(inWork, /Connection terminated/);
  t.strictSame(await pool.query('select 1 as one'), [{ one: 1 }]);
  t.ok(second.connections() > 0);
});

t.test('a connection whose server becomes read-only is dropped', async (t) => {
  const database = await freshDatabase(t);
  const pool = poolOf(t, urlOf(database, await hostBefore(t, database.url), closed));
  const failed = pool.transaction(async (on) => {
    await on.query('set transaction read only');
    await on.query('create table written (n int)');
  });
  await t.rejects(failed, { code: '25006' });
  t.equal(pool.pool.totalCount, 0, 'it is not used again');
  await pool.query('create table written (n int)');
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`alter database ${name} set default_transaction_read_only = on`);
  await t.rejects(poolOf(t, urlOf(database, closed, new URL(database.url).host)).query('select 1'), {
    code: '25006',
  });
});

t.test('MikroORM, migrations and single connections take several hosts', async (t) => {
  const database = await freshDatabase(t);
  const url = urlOf(database, closed, await standbyHost(t), await hostBefore(t, database.url));
  t.strictSame(await migrateUp(url), []);
  const client = newClient(url);
  await client.connect();
  await client.end();
  const { broker, call } = await startBroker(t, { databaseUrl: url, services: [] });
  const config = testConfig({ databaseUrl: url });
  const onStop = (release: () => unknown) => t.teardown(release);
  const started = await orm([])({ broker, call, config, logger: broker.logger, onStop });
  t.strictSame(await started.fork().getConnection().execute('select 1 as one'), [{ one: 1 }]);
});
