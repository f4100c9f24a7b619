import t from 'tap';
import type { User } from '../../../contracts/users.ts';
import { foldChanges, lockUpkeep, mostChanges } from '../../../services/users/tables/user-list.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });

t.beforeEach(() =>
  database.query(
    `truncate users.person, users.connection, users.connection_change, users.list_change, users.list_fence,
       users.list_total, users.person_status, users.person_status_change cascade`,
  ),
);

const names = (page: { items: User[] }) => page.items.map(({ first_name }) => first_name);

t.test('an empty list has no pages', async (t) => {
  t.same(await call('users.list', {}), { items: [], total: 0, page: 1, limit: 20, pages: 0 });
});

t.test('the newest come first, page by page, and a page past the end is empty', async (t) => {
  const made = [];
  for (let n = 0; n < 5; n += 1) made.push(await call('users.create', { external_user_id: `n${n}` }));
  // A time of a whole second has no milliseconds, so that texts do not compare like times.
  const placeOf = ({ created_at, id }: User) => `${new Date(created_at).toISOString()}${id}`;
  const expected = made.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  const page = (number: number) => call('users.list', { page: number, limit: 2 });
  const rest = { total: 5, limit: 2, pages: 3 };
  t.same(await page(1), { items: expected.slice(0, 2), page: 1, ...rest });
  t.same(await page(3), { items: expected.slice(4), page: 3, ...rest });
  t.same(await page(4), { items: [], page: 4, ...rest });
  t.same(await page(1_000_000), { items: [], page: 1_000_000, ...rest });
});

t.test('names sort in any case, nobody last, equal ones by id', async (t) => {
  for (const first_name of ['bob', null, 'Álvaro', 'ADA', 'ada', 'Zoë', 'Bob', null])
    await call('users.create', { first_name });
  const asc = await call('users.list', { sort_by: 'first_name', sort_order: 'asc' });
  t.same(
    names(asc).map((name) => name?.toLowerCase() ?? null),
    ['ada', 'ada', 'bob', 'bob', 'zoë', 'álvaro', null, null],
  );
  for (const at of [0, 2, 6]) t.ok((asc.items[at]?.id ?? '') < (asc.items[at + 1]?.id ?? ''));
  const desc = await call('users.list', { sort_by: 'first_name', sort_order: 'desc' });
  t.same(desc.items, asc.items.toReversed());
});

t.test('search finds a literal text anywhere, in any case and length', async (t) => {
  const people = [
    { first_name: '100%', last_name: 'A_B', email: 'odd@example.com', external_user_id: 'back\\slash' },
    { first_name: '1000', last_name: 'AxB', email: 'plain@example.com', external_user_id: 'back/slash' },
    { first_name: '山田', last_name: 'ŽELJKO', email: null, external_user_id: '𝒜𝒷𝒸' },
    { first_name: 'Ab', last_name: 'Cd', external_user_id: 'abcxbcd' },
  ];
  for (const person of people) await call('users.create', person);
  for (const [search, found] of [
    ['%', ['100%']],
    ['100%', ['100%']],
    ['_', ['100%']],
    ['a_b', ['100%']],
    ['\\', ['100%']],
    ['K\\S', ['100%']],
    ['EXAMPLE', ['100%', '1000']],
    ['100', ['100%', '1000']],
    ['田', ['山田']],
    ['山田', ['山田']],
    ['željko', ['山田']],
    ['𝒜𝒷𝒸', ['山田']],
    ['𝒷𝒸', ['山田']],
    ['plain', ['1000']],
    ['PLAIN@', ['1000']],
    ['bcXbcd', ['Ab']],
    ['bcxbce', []],
    ['abcd', []],
    ['b\u001fc', ['Ab']],
    ['example.org', []],
    ["' or 1=1 --", []],
    ['', ['100%', '1000', '山田', 'Ab']],
  ] as const) {
    const page = await call('users.list', { search, sort_order: 'asc' });
    t.same(names(page), found, `search for ${JSON.stringify(search)}`);
    t.equal(page.total, found.length);
  }
});

t.test('filters match whole values and go together with a search', async (t) => {
  await call('users.create', { first_name: 'One', email: 'Shared@example.com', external_user_id: 'e1' });
  await call('users.create', { first_name: 'Two', email: 'shared@EXAMPLE.com', external_user_id: 'e11' });
  await call('users.create', { first_name: 'Three', email: 'unshared@example.com', external_user_id: 'E1' });
  const list = (filter: object) => call('users.list', { sort_order: 'asc', ...filter });
  t.same(names(await list({ email: 'shared@example.com' })), ['One', 'Two']);
  t.same(names(await list({ email: 'shared@example.co_' })), []);
  t.same(names(await list({ external_user_id: 'e1' })), ['One']);
  t.same(names(await list({ email: 'shared@example.com', search: 'tw' })), ['Two']);
  t.same(names(await list({ email: 'shared@example.com', external_user_id: 'E1' })), []);
  t.match(await list({ email: 'shared@example.com', limit: 1, page: 2 }), {
    items: [{ first_name: 'Two' }],
    total: 2,
    pages: 2,
  });
});

t.test('an update and a deletion move and remove a user in every list', async (t) => {
  const ann = await call('users.create', { first_name: 'Ann' });
  await call('users.create', { first_name: 'Ben' });
  await call('users.update', { user_id: ann.id, first_name: 'Zed' });
  const list = () => call('users.list', { sort_by: 'first_name', sort_order: 'asc' });
  t.same(names(await list()), ['Ben', 'Zed']);
  t.same((await call('users.list', { search: 'ann' })).items, []);
  await call('users.remove', { user_id: ann.id });
  t.match(await list(), { items: [{ first_name: 'Ben' }], total: 1 });
  t.same((await call('users.list', { search: 'zed' })).items, []);
});

// The service folds too, and who comes second leaves it to the first.
function untilFolded(): Promise<void> {
  return until(async () => {
    await foldChanges(database);
    return (await database.query('select from users.list_change')).length === 0;
  });
}

t.test('folding while people are made, by two nodes at once, loses nobody', async (t) => {
  const make = async () => {
    for (let n = 0; n < 10; n += 1)
      await database.query(`insert into users.person (first_name) select 'x' from generate_series(1, 150)`);
  };
  const fold = async () => {
    for (let n = 0; n < 10; n += 1) await foldChanges(database);
  };
  await Promise.all([make(), make(), fold(), fold()]);
  t.equal((await call('users.list', {})).total, 3000);
  await database.query(`insert into users.person select from generate_series(1, ${mostChanges + 1})`);
  await untilFolded();
  t.match(await call('users.list', {}), { total: 3001 + mostChanges });
  t.same(await database.query('select from users.list_change'), []);
});

t.test('folding says whether it did, and passes on what failed', async (t) => {
  const database = await freshDatabase(t);
  const fill = () =>
    database.query(`insert into users.person select from generate_series(1, ${mostChanges + 1})`);
  t.equal(await foldChanges(database), false, 'there is nothing to fold');
  await fill();
  await database.transaction(async (transaction) => {
    t.equal(await lockUpkeep(transaction), true);
    t.equal(await foldChanges(database), false, 'another node folds');
  });
  t.equal(await foldChanges(database), true);
  await fill();
  await database.query('alter table users.list_fence rename to list_fence_away');
  await t.rejects(foldChanges(database), { code: '42P01' });
});

t.test('connected selects users with or without an active connection', async (t) => {
  const made = [];
  for (const name of ['none', 'active', 'ended', 'both'])
    made.push(await call('users.create', { first_name: name }));
  const [, active, ended, both] = made.map(({ id }) => id);
  const link = (user_id: string | undefined, provider: 'devicemaker' | 'activitynet') =>
    call('users.connect', { user_id: user_id ?? '', provider, provider_user_id: `${user_id} ${provider}` });
  await link(active, 'devicemaker');
  for (const user of [ended, both]) await link(user, 'devicemaker');
  await link(both, 'activitynet');
  for (const user_id of [ended ?? '', both ?? ''])
    await call('users.disconnect', { user_id, provider: 'devicemaker' });
  const found = async (query: Record<string, unknown>) => {
    const page = await call('users.list', { sort_by: 'first_name', sort_order: 'asc', ...query });
    return [names(page), page.total];
  };
  t.same(await found({ connected: true }), [['active', 'both'], 2]);
  t.same(await found({ connected: 'false' }), [['ended', 'none'], 2]);
  t.same(await found({ connected: 'false', search: 'non' }), [['none'], 1]);
  t.same(await found({}), [['active', 'both', 'ended', 'none'], 4]);
});

t.test('provider and connection_status select users by the same connection', async (t) => {
  const link = async (first_name: string, provider: 'devicemaker' | 'activitynet', isEnded = false) => {
    const { id } =
      (await call('users.list', { search: first_name })).items[0] ??
      (await call('users.create', { first_name }));
    await call('users.connect', { user_id: id, provider, provider_user_id: `${first_name} ${provider}` });
    if (isEnded) await call('users.disconnect', { user_id: id, provider });
  };
  await call('users.create', { first_name: 'nobody' });
  await link('ann', 'devicemaker');
  await link('ben', 'devicemaker', true);
  await link('ben', 'activitynet');
  await link('cleo', 'activitynet', true);
  const found = async (query: Record<string, unknown>) => {
    const page = await call('users.list', { sort_by: 'first_name', sort_order: 'asc', ...query });
    return [names(page), page.total];
  };
  t.same(await found({ provider: 'devicemaker' }), [['ann', 'ben'], 2]);
  t.same(await found({ connection_status: 'revoked' }), [['ben', 'cleo'], 2]);
  t.same(await found({ connection_status: 'expired' }), [[], 0]);
  t.same(await found({ provider: 'devicemaker', connection_status: 'active' }), [['ann'], 1]);
  t.same(await found({ provider: 'activitynet', connection_status: 'revoked', search: 'cle' }), [
    ['cleo'],
    1,
  ]);
  t.same(await found({ provider: 'activitynet', connected: false }), [['cleo'], 1]);
});

t.test('a list by connections ends after ten thousand users', async (t) => {
  await database.query('insert into users.person (first_name) select null from generate_series(1, 10005)');
  await database.query(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'devicemaker', id, 'active', '{}' from users.person`,
  );
  await database.query("insert into users.person (first_name) select 'x' from generate_series(1, 10005)");
  const query = { provider: 'devicemaker', limit: 100 } as const;
  t.match(await call('users.list', { ...query, page: 100 }), {
    total: 10_000,
    pages: 100,
    items: { length: 100 },
  });
  t.match(await call('users.list', { ...query, page: 101 }), { total: 10_000, items: [] });
  t.match(await call('users.list', { connected: true }), { total: 10_000, items: { length: 20 } });
  t.match(await call('users.list', { connected: false, limit: 100, page: 100 }), {
    total: 10_000,
    items: { length: 100 },
  });
});

t.test(
  'a search counts to 1,000, or past the page, and each page follows the other to the end',
  async (t) => {
    await database.query(
      `insert into users.person (first_name, last_name, created_at)
     select 'x' || i, case when i <= 2 then 'rare' end, timestamptz '2026-01-01' + i * interval '1 second'
     from generate_series(1, 6205) i`,
    );
    const found = async (query: { page: number; limit?: number; search?: string; sort_order?: 'asc' }) => {
      const { total, items } = await call('users.list', { search: 'x', limit: 100, ...query });
      return [total, items.length, items[0]?.first_name];
    };
    t.same(await found({ page: 1 }), [1000, 100, 'x6205']);
    t.same(await found({ page: 1, sort_order: 'asc' }), [1000, 100, 'x1']);
    t.same(await found({ page: 20 }), [2001, 100, 'x4305']);
    t.same(await found({ page: 60 }), [6001, 100, 'x305']);
    t.same(await found({ page: 63 }), [6205, 5, 'x5']);
    t.same(await found({ page: 64 }), [6205, 0, undefined]);
    t.same(await found({ page: 1, search: 'rare' }), [2, 2, 'x2']);
  },
);
