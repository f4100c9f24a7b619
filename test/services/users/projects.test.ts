import t from 'tap';
import { mostCounted } from '../../../services/users/tables/matching-users.ts';
import { foldChanges, lockUpkeep, sortBys, sortKeys } from '../../../services/users/tables/user-list.ts';
import users from '../../../services/users/users.service.ts';
import { callerOf } from '../../support/callers.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

/*
 * Two projects whose users lie between each other in every order. Each list of one project is compared with a plain
 * query: with users whose changes are folded, and with changes beside the fences.
 */
const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });

const insert = (from: number, to: number) =>
  database.query(
    `with made as (
       insert into users.person (project_id, first_name, last_name, email, external_user_id, created_at)
       select case when i % 3 = 0 then 'default' else 'other' end, 'x' || i % 7, 'y' || i % 5,
         case when i % 2 = 0 then i || '@example.com' end, 'e' || i, timestamptz '2026-01-01' + i * interval '1 second'
       from generate_series($1::int, $2::int) i returning id, project_id, created_at)
     insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'devicemaker', id, case when extract(second from created_at)::int % 4 = 0 then 'expired' else 'active' end, '{}'
     from made where extract(second from created_at)::int % 3 < 2`,
    [from, to],
  );

const filters = {
  all: [{}, 'true'],
  'a frequent text': [{ search: 'x' }, 'true'],
  'a rare text': [{ search: 'x3' }, "first_name = 'x3'"],
  'an external id': [{ external_user_id: 'e30' }, "external_user_id = 'e30'"],
  connected: [
    { connected: true },
    "exists (select from users.connection c where c.user_id = p.id and status = 'active')",
  ],
  'not connected': [
    { connected: false },
    "not exists (select from users.connection c where c.user_id = p.id and status = 'active')",
  ],
  'a state': [
    { connection_status: 'expired' as const },
    "exists (select from users.connection c where c.user_id = p.id and status = 'expired')",
  ],
  'a provider and a text': [
    { provider: 'devicemaker' as const, search: 'y2' },
    "last_name = 'y2' and exists (select from users.connection c where c.user_id = p.id)",
  ],
} as const;

async function offendersIn(): Promise<string[]> {
  const offenders: string[] = [];
  for (const project_id of ['default', 'other', 'empty'])
    for (const [name, [filter, condition]] of Object.entries(filters))
      for (const sort_by of name === 'all' ? sortBys : (['created_at', 'last_name'] as const))
        for (const sort_order of ['asc', 'desc'] as const) {
          const { column } = sortKeys[sort_by];
          const all = await database.query<{ id: string }>(
            `select id from users.person p where project_id = $1 and deleted_at is null and ${condition}
             order by ${column} ${sort_order}, id ${sort_order}`,
            [project_id],
          );
          const past = Math.ceil(all.length / 50) + 1;
          for (const page of name === 'all' ? [1, 4, 7, 12, 20, past] : [1, 4]) {
            const query = { ...filter, sort_by, sort_order, page, limit: 50 };
            const answer = await call('users.list', query, {
              meta: { caller: callerOf('api-key', { project_id }) },
            });
            const expected = all.slice((page - 1) * 50, page * 50).map(({ id }) => id);
            const isEqual = JSON.stringify(answer.items.map(({ id }) => id)) === JSON.stringify(expected);
            const total = name === 'a frequent text' ? Math.min(all.length, mostCounted) : all.length;
            if (!isEqual || answer.total !== total)
              offenders.push(
                `${project_id}, ${name}, ${sort_by} ${sort_order}, page ${page}: ${answer.total} of ${all.length}`,
              );
          }
        }
  return offenders;
}

t.test('lists of one project are those of a plain query, folded or not', async (t) => {
  await insert(1, 2000);
  t.equal(await foldChanges(database), true);
  t.strictSame(await offendersIn(), [], 'folded');
  await insert(2001, 2400);
  t.strictSame(await offendersIn(), [], 'with changes beside the fences');
  const counts = await call('users.figures', { project_id: 'other' });
  const [real] = await database.query<{ users: number; connections: number }>(
    `select (select count(*)::int from users.person where project_id = 'other') as users,
       (select count(*)::int from users.connection c join users.person p on p.id = c.user_id where p.project_id = 'other')
         as connections`,
  );
  t.equal(counts.users, real?.users);
  t.equal(
    counts.connections.reduce((sum, { count }) => sum + count, 0),
    real?.connections,
  );
  await database.transaction(async (transaction) => {
    // While this lock is held, no process folds. More than a thousand changes would be counted anew.
    await until(() => lockUpkeep(transaction));
    await database.query(
      "update users.person set deleted_at = now() where last_name = 'y3' and first_name = 'x1'",
    );
    await database.query(
      "update users.person set first_name = 'x9', email = null where last_name = 'y4' and first_name < 'x3'",
    );
    await database.query("delete from users.person where last_name = 'y1' and first_name = 'x5'");
    t.strictSame(await offendersIn(), [], 'changed since');
  });
  while (await foldChanges(database));
  t.strictSame(await offendersIn(), [], 'folded again');
});

t.test('an external id is unique in a project', async (t) => {
  const as = (project_id: string) => ({ meta: { caller: callerOf('api-key', { project_id }) } });
  const fields = { external_user_id: 'unique' };
  const first = await call('users.create', fields, as('default'));
  const second = await call('users.create', fields, as('other'));
  t.not(first.id, second.id);
  await t.rejects(call('users.create', fields, as('other')), refusal('EXTERNAL_USER_ID_TAKEN'));
  const third = await call('users.create', {}, as('default'));
  const changed = { user_id: third.id, external_user_id: 'unique' };
  await t.rejects(call('users.update', changed, as('default')), refusal('EXTERNAL_USER_ID_TAKEN'));
  const elsewhere = await call('users.create', {}, as('third'));
  t.match(
    await call('users.update', { user_id: elsewhere.id, external_user_id: 'unique' }, as('third')),
    fields,
  );
});
