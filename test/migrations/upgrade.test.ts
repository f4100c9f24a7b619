import t from 'tap';
import { migrateDown, migrateUp } from '../../migrations/migrate.ts';
import users from '../../services/users/users.service.ts';
import { startBroker } from '../support/servers/broker.ts';
import { databaseOfRelease, loadRows, rowsOf, tablesOf } from './release.ts';

/*
 * The rows of a database of 0.3.0 get the columns of projects and lose them again.
 */
const release = '0230-cheaper-statistics';
const database = await databaseOfRelease(t);
await loadRows(database);
// Step 0437 drops `user_clock`: step 0401 copies its rows to `clock_day`.
const { 'timeseries.user_clock': clocks, ...before } = await rowsOf(database);
const files = await tablesOf(database);

t.test(
  'a database of 0.3.0 is upgraded without a rewritten table, and every row is in `default`',
  async (t) => {
    t.ok((await migrateUp(database.url)).includes('0300-projects'));
    const after = await rowsOf(database);
    t.ok(clocks?.length && clocks.length <= (after['timeseries.clock_day']?.length ?? 0));
    for (const [name, rows] of Object.entries(before)) t.equal(after[name]?.length, rows.length, name);
    const now = new Map((await tablesOf(database)).map(({ name, file }) => [name, file]));
    t.strictSame(
      files.filter(({ name, file }) => now.has(name) && now.get(name) !== file),
      [],
      'no table that stays has another file',
    );
    for (const table of [
      'users.person',
      'users.connection',
      'auth.api_key',
      'auth.application',
      'auth.audit_entry',
      'changes.change',
      'webhooks.endpoint',
    ])
      t.strictSame(
        await database.query(`select distinct project_id from ${table}`),
        [{ project_id: 'default' }],
        table,
      );
    t.strictSame(await database.query('select distinct is_owner from auth.developer'), [{ is_owner: true }]);
    t.strictSame(await database.query('select scopes, expires_at, addresses from auth.api_key'), [
      { scopes: null, expires_at: null, addresses: null },
    ]);
    const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
    t.match(await call('users.list', {}), { total: 2, items: { length: 2 } });
    t.match(await call('users.figures', { project_id: 'default' }), {
      users: 2,
      connections: [{ count: 1 }, { count: 1 }],
    });
  },
);

t.test('backfills of activities that wait go on, up and down', async (t) => {
  const old = await databaseOfRelease(t);
  const run = `'5e0f7d0c-0000-4000-8000-000000000001', '5e0f7d0c-0000-4000-8000-000000000002'`;
  await old.query(
    `insert into activitynet.history (id, connection_id, user_id, connected_at, start_time, end_time, state, pages, found)
     values (${run}, gen_random_uuid(), now(), '2025-01-01Z', '2026-01-01Z', 'listing', 2, 200)`,
  );
  await migrateUp(old.url);
  const waiting = 'id, state, start_time, end_time, pages, found';
  const found = { state: 'listing', end_time: new Date('2026-01-01T00:00:00Z'), pages: 2, found: 200 };
  t.match(await old.query(`select purpose, leased, ${waiting} from activitynet.listing`), [
    { purpose: 'backfill', leased: false, ...found },
  ]);
  await migrateDown(old.url, release);
  t.match(await old.query(`select ${waiting} from activitynet.history`), [found]);
});

t.test('the way back loses no row, and is refused while another project exists', async (t) => {
  await database.query("insert into auth.project (id, name) values ('other', 'Other')");
  await t.rejects(migrateDown(database.url, release), /delete them before/);
  await database.query("delete from auth.project where id = 'other'");
  await database.query("delete from auth.audit_entry where action like 'project.%'");
  await migrateDown(database.url, release);
  t.strictSame(await rowsOf(database), before);
});
