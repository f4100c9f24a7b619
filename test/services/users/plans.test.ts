import t from 'tap';
import { foldConnectionChanges } from '../../../services/users/tables/connection-counts.ts';
import {
  mostCounted,
  selectMatchingUsers,
  selectUsersByConnection,
} from '../../../services/users/tables/matching-users.ts';
import { foldChanges, selectAllUsers, sortBys } from '../../../services/users/tables/user-list.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const people = 4000;
const large = ['person', 'list_fence'];

// Without the index of pieces while they come in: built at the end it takes a fifth of the time.
const fill = [
  'drop index users.person_grams',
  `insert into users.person (first_name, last_name, email, external_user_id, created_at)
   select 'First' || i % 500, 'Last' || i * 7919 % 10007, 'm' || i || '@example.com', 'crm-' || i,
     timestamptz '2026-01-01' + i * interval '1 second'
   from generate_series(1, ${people}) i`,
];

const database = await freshDatabase(t);
const [made] = await database.query<{ indexdef: string }>(
  "select indexdef from pg_indexes where schemaname = 'users' and indexname = 'person_grams'",
);
for (const statement of fill) await database.query(statement);
await database.query(made?.indexdef ?? '');
t.ok(await foldChanges(database));
await database.query('vacuum analyze users.person');

t.test('a search for a frequent text reads no more than a bounded number of users', async (t) => {
  const query = { sort_by: 'created_at', sort_order: 'desc' } as const;
  for (const search of ['m1', 'first', 'example.com']) {
    const { on, read } = countingRows(database);
    const page = await selectMatchingUsers(on, 'default', { ...query, search }, 0, 20);
    t.match(page, { total: mostCounted, users: { length: 20 } }, search);
    t.ok((read.get('person') ?? 0) < 7000, `${search}: ${read.get('person')}`);
  }
});

t.test('the users whose connection expired are found without reading a table whole', async (t) => {
  await database.query(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, p, id, case when created_at < '2026-01-01 00:00:10' then 'expired' else 'active' end, '{}'
     from users.person, unnest(array['devicemaker', 'activitynet']) p where p = 'devicemaker' or random() < 0.1`,
  );
  for (const table of ['person', 'connection']) await database.query(`vacuum analyze users.${table}`);
  const plans: string[] = [];
  const on = explaining(database, plans);
  const query = { sort_by: 'created_at', sort_order: 'desc', provider: 'devicemaker' } as const;
  const list = (filter: object) => selectUsersByConnection(on, 'default', { ...query, ...filter }, 0, 20);
  t.match(await list({ connection_status: 'expired' }), { total: 9, users: { length: 9 } });
  t.match(await list({ connection_status: 'expired', provider: undefined }), { total: 9 });
  t.strictSame(wholeScans(plans, ['person', 'connection']), []);
  t.match(await list({ connection_status: 'active' }), { total: people - 9, users: { length: 20 } });
  t.equal(plans.length, 6);
  t.strictSame(wholeScans(plans, ['person']), []);
});

t.test('a page of users by connection reads neither all such users nor all connections', async (t) => {
  await database.query('delete from users.connection');
  await database.query(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'devicemaker', id, case extract(second from created_at)::int % 10 when 1 then 'revoked' else 'active' end, '{}'
     from users.person where extract(second from created_at)::int % 10 > 0`,
  );
  await foldConnectionChanges(database);
  for (const table of ['person', 'connection']) await database.query(`vacuum analyze users.${table}`);
  const query = { sort_by: 'created_at', sort_order: 'desc' } as const;
  for (const [filter, total] of [
    [{ connected: true }, 0.8 * people],
    [{ connected: false }, 0.2 * people],
    [{ connection_status: 'revoked' }, 0.1 * people],
    [{ provider: 'devicemaker' }, 0.9 * people],
    [{ provider: 'devicemaker', connection_status: 'revoked' }, 0.1 * people],
  ] as const) {
    const { on, read } = countingRows(database);
    const page = await selectUsersByConnection(on, 'default', { ...query, ...filter }, 0, 20);
    t.match(page, { total, users: { length: 20 } }, JSON.stringify(filter));
    t.ok((read.get('connection') ?? 0) + (read.get('person') ?? 0) < 600, JSON.stringify([...read]));
  }
});

t.test(`no page, order or search of ${people} users reads the table whole`, async (t) => {
  await database.query(`insert into users.person (first_name) select 'Late' from generate_series(1, 100)`);
  await database.query('vacuum analyze users.person');
  await database.query('analyze users.list_fence');
  const total = people + 100;
  const plans: string[] = [];
  const on = explaining(database, plans);
  for (const sort_by of sortBys)
    for (const sort_order of ['asc', 'desc'] as const)
      for (const offset of [0, 220, total - 20, total + 20]) {
        const page = await selectAllUsers(on, 'default', { sort_by, sort_order, offset, limit: 20 });
        const said = `${sort_by} ${sort_order} from ${offset}`;
        t.match(page, { total, users: { length: offset < total ? 20 : 0 } }, said);
      }
  const narrowed = { sort_by: 'created_at', sort_order: 'desc' } as const;
  for (const [filter, found] of [
    [{ search: 'M1234@EX' }, 1],
    [{ search: 'crm-119' }, 11],
    [{ search: 'last10' }, 46],
    [{ search: 'nobody has this' }, 0],
    [{ search: 'late' }, 100],
    [{ email: 'M1234@example.com' }, 1],
    [{ external_user_id: 'crm-3711' }, 1],
    [{ external_user_id: 'crm-3711', search: 'first211' }, 1],
  ] as const)
    t.equal(
      (await selectMatchingUsers(on, 'default', { ...narrowed, ...filter }, 0, 20)).total,
      found,
      JSON.stringify(filter),
    );
  t.equal(plans.length, 2 * sortBys.length * 2 * 4 + 8, 'every plan was seen, both of each named statement');
  t.strictSame(wholeScans(plans, large), []);
});

t.test('the search for a plan that reads a table whole finds one', async (t) => {
  const plans: string[] = [];
  const on = explaining(database, plans);
  await on.query("select id from users.person where strpos(search_text, 'x') > 0");
  t.equal(wholeScans(plans, large).length, 1);
});
