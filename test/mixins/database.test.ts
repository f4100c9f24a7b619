import t, { type Test } from 'tap';
import { database } from '../../mixins/database/database.ts';
import { orm } from '../../mixins/database/orm.ts';
import { inbox } from '../../mixins/inbox/inbox.ts';
import { startBroker, testConfig } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';

async function environment(t: Test) {
  const { url } = await freshDatabase(t);
  const { broker, call } = await startBroker(t, { databaseUrl: url, services: [] });
  const onStop = (release: () => unknown) => t.teardown(release);
  return { broker, call, logger: broker.logger, config: testConfig({ databaseUrl: url }), onStop };
}

t.test('no statement and no forgotten transaction lasts, over either way to the database', async (t) => {
  const given = await environment(t);
  const [pool, entities] = [await database()(given), await orm([])(given)];
  const limits = `select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`;
  const wanted = [{ statement: '30s', idle: '1min' }];
  t.strictSame(await pool.query(limits), wanted);
  t.strictSame(await entities.fork().getConnection().execute(limits), wanted);
});

t.test('statements are not compiled, also if the database would', async (t) => {
  const given = await environment(t);
  for (const planning of ['each', 'once'] as const) {
    const pool = await database(planning)(given);
    await pool.query(
      `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
    );
    const [row] = await pool.query('select setting, source from pg_settings where name = $1', ['jit']);
    t.strictSame(row, { setting: 'off', source: 'client' }, planning);
  }
});

t.test('a connection that is lost while its transaction thinks fails that transaction only', async (t) => {
  const given = await environment(t);
  const on = await database()(given);
  const lost = on.transaction(async (transaction) => {
    const [row] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
    await on.query('select pg_terminate_backend($1)', [row?.pid]);
    for (let gone = false; !gone; )
      gone = (await on.query('select from pg_stat_activity where pid = $1', [row?.pid])).length === 0;
    await new Promise((resolve) => setImmediate(resolve));
    await transaction.query('select 1');
  });
  await t.rejects(lost);
  t.strictSame(await on.query('select 1 as one'), [{ one: 1 }], 'the pool goes on');
});

t.test(
  'the last service that stops closes the pool, of the inbox too, and the next start opens another',
  async (t) => {
    const given = await environment(t);
    const releases: (() => unknown)[] = [];
    const service = { ...given, onStop: (release: () => unknown) => void releases.push(release) };
    await database()(service);
    const deliveries = await inbox()(service);
    await releases.pop()?.();
    t.equal(await deliveries.waiting('devicemaker', 1), 0, 'another service still uses it');
    await releases.pop()?.();
    await t.rejects(deliveries.waiting('devicemaker', 1), 'the pool is closed');
    const next = await database()(given);
    t.strictSame(await next.query('select 1 as one'), [{ one: 1 }]);
  },
);

t.test('of a transaction that fails nothing stays', async (t) => {
  const given = await environment(t);
  const on = await database()(given);
  await on.query('create table counted (n int)');
  const failed = on.transaction(async (transaction) => {
    await transaction.query('insert into counted values (1)');
    throw new Error('a failure');
  });
  await t.rejects(failed, { message: 'a failure' });
  t.strictSame(await on.query('select n from counted'), []);
});

t.test('work that goes on after its transaction failed writes nothing', async (t) => {
  const given = await environment(t);
  const on = await database()(given);
  await on.query('create table counted (n int)');
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  const failed = on.transaction((transaction) => {
    late = isOver.then(() => transaction.query('insert into counted values (1)'));
    return Promise.all([late, Promise.reject(new Error('a failure'))]);
  });
  await t.rejects(failed, { message: 'a failure' });
  end();
  await t.rejects(late ?? Promise.resolve(), { message: 'the transaction is over' });
  t.strictSame(await on.query('select n from counted'), []);
});
