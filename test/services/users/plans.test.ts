import t from 'tap';
import { foldChanges } from '../../../services/users/queries/fold-changes.ts';
import { selectAllUsers } from '../../../services/users/queries/select-all-users.ts';
import {
  mostByConnection,
  selectMatchingUsers,
} from '../../../services/users/queries/select-matching-users.ts';
import { sortBys } from '../../../services/users/queries/sort-keys.ts';
import { freshDatabase } from '../../support/database.ts';
import { explaining, wholeScans } from '../../support/explaining.ts';
import { countingRows } from '../../support/rows-read.ts';

const people = 20_000;
const large = ['person', 'list_fence'];

// Without the index of pieces while they come in: built at the end it takes a fifth of the time.
const fill = [
  'drop index users.person_grams',
  `insert into users.person (first_name, last_name, email, external_user_id, created_at)
   select 'First' || i % 500, 'Last' || i * 7919 % 10007, 'm' || i || '@example.com', 'crm-' || i,
     timestamptz '2026-01-01' + i * interval '1 second'
   from generate_series(1, ${people}) i`,
];

t.test(`no page, order or search of ${people} users reads the table whole`, async (t) => {
  const database = await freshDatabase(t);
  const [made] = await database.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where schemaname = 'users' and indexname = 'person_grams'",
  );
  for (const statement of fill) await database.query(statement);
  await database.query(made?.indexdef ?? '');
  t.ok(await foldChanges(database));
  await database.query(`insert into users.person (first_name) select 'Late' from generate_series(1, 100)`);
  await database.query('vacuum analyze users.person');
  await database.query('analyze users.list_fence');
  const total = people + 100;
  const plans: string[] = [];
  const on = explaining(database, plans);
  for (const sort_by of sortBys)
    for (const sort_order of ['asc', 'desc'] as const)
      for (const offset of [0, 40, 220, 10_000, total - 20, total + 20]) {
        const page = await selectAllUsers(on, { sort_by, sort_order, offset, limit: 20 });
        const said = `${sort_by} ${sort_order} from ${offset}`;
        t.match(page, { total, users: { length: offset < total ? 20 : 0 } }, said);
      }
  const narrowed = { sort_by: 'created_at', sort_order: 'desc' } as const;
  for (const [filter, found] of [
    [{ search: 'M11234@EX' }, 1],
    [{ search: 'crm-1999' }, 11],
    [{ search: 'last10' }, 236],
    [{ search: 'nobody has this' }, 0],
    [{ search: 'late' }, 100],
    [{ email: 'M11234@example.com' }, 1],
    [{ external_user_id: 'crm-4711' }, 1],
    [{ external_user_id: 'crm-4711', search: 'first211' }, 1],
  ] as const)
    t.equal(
      (await selectMatchingUsers(on, { ...narrowed, ...filter }, 0, 20)).total,
      found,
      JSON.stringify(filter),
    );
  t.equal(plans.length, sortBys.length * 2 * 6 + 8, 'every plan was seen');
  t.strictSame(wholeScans(plans, large), []);
});

t.test('the users whose connection expired are found without reading a table whole', async (t) => {
  const database = await freshDatabase(t);
  const before = `alter table users.connection disable trigger user`;
  for (const statement of [...fill, before]) await database.query(statement);
  await database.query(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, p, id, case when created_at < '2026-01-01 00:00:10' then 'expired' else 'active' end, '{}'
     from users.person, unnest(array['devicemaker', 'activitynet']) p where p = 'devicemaker' or random() < 0.1`,
  );
  for (const table of ['person', 'connection']) await database.query(`vacuum analyze users.${table}`);
  const plans: string[] = [];
  const on = explaining(database, plans);
  const query = { sort_by: 'created_at', sort_order: 'desc', provider: 'devicemaker' } as const;
  const list = (filter: object) => selectMatchingUsers(on, { ...query, ...filter }, 0, 20);
  t.match(await list({ connection_status: 'expired' }), { total: 9, users: { length: 9 } });
  t.match(await list({ connection_status: 'expired', provider: undefined }), { total: 9 });
  t.strictSame(wholeScans(plans, ['person', 'connection']), []);
  t.match(await list({ connection_status: 'active' }), { total: mostByConnection, users: { length: 20 } });
  t.equal(plans.length, 3);
  t.strictSame(wholeScans(plans, ['person']), []);
});

t.test(
  'users with or without an active connection are read in the order of the list, not whole',
  async (t) => {
    const database = await freshDatabase(t);
    for (const statement of fill) await database.query(statement);
    await database.query(
      `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'devicemaker', id, 'active', '{}' from users.person where extract(second from created_at)::int % 10 > 0`,
    );
    const usersRead = async (connected: boolean) => {
      for (const table of ['person', 'connection']) await database.query(`vacuum analyze users.${table}`);
      const { on, read } = countingRows(database);
      const query = { sort_by: 'created_at', sort_order: 'desc', connected } as const;
      t.match(await selectMatchingUsers(on, query, 0, 20), {
        total: mostByConnection,
        users: { length: 20 },
      });
      t.ok((read.get('connection') ?? 0) < 1.2 * mostByConnection);
      return read.get('person') ?? 0;
    };
    t.ok((await usersRead(true)) < 1.2 * mostByConnection);
    await database.query("update users.connection set status = 'revoked' where provider_user_id > '1'");
    t.ok((await usersRead(false)) < 1.2 * mostByConnection);
  },
);

t.test('the search for a plan that reads a table whole finds one', async (t) => {
  const database = await freshDatabase(t);
  const plans: string[] = [];
  const on = explaining(database, plans);
  await on.query("select id from users.person where strpos(search_text, 'x') > 0");
  t.equal(wholeScans(plans, large).length, 1);
});
