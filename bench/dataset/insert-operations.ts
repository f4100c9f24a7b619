import type pg from 'pg';
import { insertUsers } from './insert-users.ts';

/** Deliveries and changes of each user. */
export const perUser = { deliveries: 4, changes: 10 } as const;

// Of ten users six have an active connection, one a revoked one and three none.
const connections = `
  insert into users.connection (user_id, provider, provider_user_id, status, scope)
  select id, 'devicemaker', id, case n % 10 when 0 then 'revoked' else 'active' end, '{}'
  from (select id, row_number() over (order by created_at) as n from users.person) p where n % 10 < 7`;

const deliveries = `
  insert into deliveries.delivery (provider, kind, state, run_at, received_at, done_at, headers, body)
  select case n % 3 when 0 then 'activitynet' else 'devicemaker' end, 'push', 'done', at, at, at + interval '80 ms', '{}',
    convert_to(repeat('a body of a delivery ', 20), 'UTF8')
  from (select n, now() - n * interval '500 ms' as at from generate_series(1, $1::int) n) d`;

const changes = `
  insert into changes.change (user_id, sequence, type, object, historical, n, data, recorded_at)
  select md5((n / 10)::text)::uuid, n, 'workout.updated', 'workout ' || n, false, 1, '{}', now()
  from generate_series(1, $1::int) n`;

/** Inserts users with connections, deliveries and changes, as many of each as belong to a number of users. */
export async function insertOperations(pool: pg.Pool, users: number): Promise<void> {
  await insertUsers(pool, users, []);
  await pool.query(connections);
  await pool.query(deliveries, [users * perUser.deliveries]);
  await pool.query(changes, [users * perUser.changes]);
}
