import t from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import {
  foldConnectionChanges,
  mostConnectionChanges,
} from '../../../services/users/tables/connection-counts.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
const providers = ['devicemaker', 'activitynet'] as const;
const filters = [
  ...[{ connected: true }, { connected: false }],
  ...(['active', 'revoked', 'expired'] as const).map((connection_status) => ({ connection_status })),
  ...providers.map((provider) => ({ provider })),
  ...[{ provider: 'devicemaker', connection_status: 'revoked' } as const],
];

/** Of each filter the number that the list states, and the number of users that its pages contain. */
async function lists() {
  const found = filters.map(async (filter) => {
    const { total, items } = await call('users.list', { ...filter, limit: 100 });
    return [JSON.stringify(filter), total, new Set(items.map(({ id }) => id)).size];
  });
  return Promise.all(found);
}

// The index says which filter a row is of; the connections themselves are counted.
const counted = `
with held as (
  select p.id, array_remove(array_agg(c.status), null) as statuses,
    array_remove(array_agg(c.provider), null) as providers,
    coalesce(bool_or(c.provider = 'devicemaker' and c.status = 'revoked'), false) as is_revoked
  from users.person p left join users.connection c on c.user_id = p.id where p.deleted_at is null group by p.id
)
select array[count(*) filter (where 'active' = any(statuses)), count(*) filter (where not 'active' = any(statuses)),
  count(*) filter (where 'active' = any(statuses)), count(*) filter (where 'revoked' = any(statuses)),
  count(*) filter (where 'expired' = any(statuses)), count(*) filter (where 'devicemaker' = any(providers)),
  count(*) filter (where 'activitynet' = any(providers)), count(*) filter (where is_revoked)]::int[] as counts
from held`;

async function expected() {
  const [row] = await database.query<{ counts: number[] }>(counted);
  return filters.map((filter, index) => [JSON.stringify(filter), row?.counts[index], row?.counts[index]]);
}

const change = (of: Database, ids: readonly string[], from: number) => {
  const statuses = ['active', 'revoked', 'expired'];
  return of.query(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, $2, id, $3, '{}' from unnest($1::uuid[]) id
     on conflict (user_id, provider) do update set status = excluded.status`,
    [ids, providers[from % 2], statuses[from % 3]],
  );
};

t.test(
  'the numbers of users by connection stay exact while all connections change in parallel',
  async (t) => {
    const ids = await Promise.all(Array.from({ length: 9 }, async () => (await call('users.create', {})).id));
    t.same(await lists(), await expected());
    for (let round = 0; round < 4; round += 1) {
      // Both connections of one user, from no state and from each to each other, in parallel.
      await Promise.all(
        ids.flatMap((id, at) => [0, 1, 3, 4].map((step) => change(database, [id], at + round + step))),
      );
      t.same(await lists(), await expected());
    }
    const [first = '', second = '', third = ''] = ids;
    await Promise.all([
      call('users.remove', { user_id: first }),
      database.query('delete from users.connection where user_id = $1', [second]),
      database.query("update users.connection set status = 'expired' where user_id = $1", [third]),
    ]);
    const [held] = await database.query('select from users.connection where user_id = $1', [first]);
    t.ok(held, 'the connections of a deleted user stay until the erasure ends');
    t.same(await lists(), await expected());
    await database.query('delete from users.connection where user_id = $1', [first]);
    t.same(await lists(), await expected());
  },
);

t.test('a transaction that ends half-way counts nothing', async (t) => {
  const { id } = await call('users.create', {});
  const before = await lists();
  const half = database.transaction(async (transaction) => {
    await transaction.query(
      "insert into users.connection (user_id, provider, provider_user_id, status, scope) values ($1, 'devicemaker', 'half', 'active', '{}')",
      [id],
    );
    throw new Error('half-way');
  });
  await t.rejects(half, /half-way/);
  t.same(await lists(), before);
});

t.test('many changes are folded by two processes at once', async (t) => {
  const before = await lists();
  await database.query(
    `insert into users.person_status_change (status, n) select 'expired', 1 - 2 * (i % 2)
     from generate_series(1, ${mostConnectionChanges + 2}) i`,
  );
  await Promise.all([foldConnectionChanges(database), foldConnectionChanges(database)]);
  t.same(await lists(), before);
  const [left] = await database.query<{ n: number }>(
    'select count(*)::int as n from users.person_status_change',
  );
  t.ok((left?.n ?? 0) <= 6, `${left?.n} rows`);
  const [kept] = await database.query<{ n: number }>(
    `select count(*)::int as n from users.person_status k full join
       (select user_id, status, count(*) from users.connection group by 1, 2) c using (user_id, status)
     where k.n is distinct from c.count`,
  );
  t.equal(kept?.n, 0);
});
