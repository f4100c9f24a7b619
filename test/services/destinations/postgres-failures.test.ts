import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { hostBefore } from '../../support/servers/database-servers.ts';
import { rowsInDatabase } from './manifest-rows.ts';
import { heart, old, storeAll } from './scenario.ts';
import { startDestinations } from './setting.ts';
import { rowsInTables, settingsOf } from './table-rows.ts';

const target = await freshDatabase(t);
const { host, settings } = settingsOf(target.url);
const way = await hostBefore(t, target.url);
const silent = createServer(() => undefined).listen(0, '127.0.0.1');
await once(silent, 'listening');
t.teardown(() => silent.close());
const address = silent.address();
const silentPort = typeof address === 'object' && address !== null ? address.port : 0;
const hosts = [host, way.address, `127.0.0.1:${silentPort}`, '127.0.0.1:9'];
const s = await startDestinations(
  t,
  { DESTINATION_HOSTS: hosts.join() },
  { resolve: async () => [{ address: '10.0.0.7', family: 4 }] },
);
const user = await storeAll(s);
const create = (changed: Record<string, unknown> = {}) =>
  s.call('destinations.create', { kind: 'postgres', settings: { ...settings, ...changed } });
const isSame = async (t: Test, id: string) => {
  await s.written(id);
  t.same(await rowsInTables(target, 'copy'), await rowsInDatabase(s.database));
};
const reader = `reader_${randomBytes(4).toString('hex')}`;
await target.query(`create role ${reader} login password 'of-the-reader'`);
t.teardown(() => target.query(`drop role ${reader}`));

t.afterEach(async () => {
  for (const { id } of await s.call('destinations.list', {}))
    await s.call('destinations.remove', { destination_id: id });
});

t.test('each failure of a database is a state, and the others are written meanwhile', async (t) => {
  const cases: [Record<string, unknown>, string][] = [
    [{ password: 'another' }, 'credentials_refused'],
    [{ database: 'not_there' }, 'missing'],
    [{ user: reader, password: 'of-the-reader', schema: 'theirs' }, 'not_permitted'],
    [{ port: 9 }, 'unreachable'],
    [{ port: silentPort }, 'unreachable'],
    [{ host: 'store.example', tls: 'verify' }, 'address_refused'],
    [{ tls: 'verify' }, 'tls_failed'],
  ];
  const made: [string, string][] = [];
  for (const [changed, code] of cases) made.push([(await create(changed)).id, code]);
  const { id } = await create();
  await isSame(t, id);
  for (const [failing, code] of made) {
    t.equal(await s.failure(failing), code);
    t.equal((await s.get(failing)).state, 'failing');
  }
});

t.test('a changed table is a state; nothing is lost when it is mended', async (t) => {
  const { id } = await create();
  await s.written(id);
  const changes: [string, string, string][] = [
    [
      'alter table copy.sample rename value to other',
      'alter table copy.sample rename other to value',
      'schema_changed',
    ],
    [
      'alter table copy.sample alter zone_offset_minutes type boolean using false',
      'alter table copy.sample alter zone_offset_minutes type integer using 0',
      'schema_changed',
    ],
    ['alter table copy.sample rename to gone', 'alter table copy.gone rename to sample', 'schema_changed'],
    [
      `alter table copy.sample add constraint small check (value < 100) not valid`,
      'alter table copy.sample drop constraint small',
      'schema_changed',
    ],
  ];
  for (const [index, [broken, mended, code]] of changes.entries()) {
    await target.query(broken);
    await s.store(user, [heart(old + (index + 9) * dayMs, 50, 90)]);
    t.equal(await s.failure(id), code, broken);
    await target.query(mended);
    await isSame(t, id);
    t.equal((await s.get(id)).last_error, null);
  }
});

t.test('a dropped table is made by a reset', async (t) => {
  const { id } = await create();
  await s.written(id);
  await target.query('drop table copy.sample');
  await s.store(user, [heart(old + 20 * dayMs, 5)]);
  t.equal(await s.failure(id), 'schema_changed');
  await s.call('destinations.reset', { destination_id: id });
  await isSame(t, id);
});

t.test('a locked table is a state that ends with the lock', async (t) => {
  const { id } = await create();
  await s.written(id);
  await target.transaction(async (transaction) => {
    await transaction.query('lock table copy.sample in access exclusive mode');
    await s.store(user, [heart(old + 21 * dayMs, 5)]);
    t.equal(await s.failure(id), 'busy');
  });
  await isSame(t, id);
});

t.test('a part that was committed before the process ended is not written again', async (t) => {
  const { id } = await create();
  await s.written(id);
  await s.call('destinations.pause', { destination_id: id });
  const [before] = await s.database.query<{ version: string; position: string }>(
    'select version, position from destinations.destination where id = $1',
    [id],
  );
  await s.call('destinations.resume', { destination_id: id });
  await s.store(user, [heart(old + 22 * dayMs, 7)]);
  await isSame(t, id);
  await s.call('destinations.pause', { destination_id: id });
  const marked = 'update copy.sample set value = -1 where time >= $1 returning 1';
  t.equal((await target.query(marked, [new Date(old + 22 * dayMs)])).length, 7);
  await s.database.query('update destinations.destination set version = $2, position = $3 where id = $1', [
    ...[id, before?.version, before?.position],
  ]);
  await target.query('update copy.destination_position set version = $1::bigint + 1', [before?.version]);
  await s.call('destinations.resume', { destination_id: id });
  await s.written(id);
  const left = await target.query('select from copy.sample where value = -1');
  t.equal(left.length, 7, 'the position of the tables has the part');
  await s.call('destinations.reset', { destination_id: id });
  await isSame(t, id);
});

t.test('a destination that begins in the schema of another one ends that one', async (t) => {
  const { id: former } = await create();
  await s.written(former);
  const { id } = await create();
  await isSame(t, id);
  await s.store(user, [heart(old + 23 * dayMs, 5)]);
  t.equal(await s.failure(former), 'schema_changed');
  await isSame(t, id);
});

t.test('a connection that breaks is a state, and the copy goes on when there is one again', async (t) => {
  const { id } = await create({ port: Number(way.address.split(':')[1]) });
  await s.written(id);
  await way.vanish();
  await s.store(user, [heart(old + 24 * dayMs, 5)]);
  t.equal(await s.failure(id), 'unreachable');
  await s.call('destinations.update', { destination_id: id, settings: { port: settings.port } });
  await isSame(t, id);
});
