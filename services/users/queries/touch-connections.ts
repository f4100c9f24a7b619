import type { Queryable } from '../../../mixins/database/database.ts';

// The rows are locked in one order, so that two deliveries for the same users cannot deadlock.
const statement = `
with held as (select id from users.connection where id = any($1::uuid[]) order by id for no key update)
update users.connection c set last_synced_at = clock_timestamp() from held where c.id = held.id returning c.id`;

/** Sets `last_synced_at` of connections to now; returns the number of rows. */
export async function touchConnections(database: Queryable, ids: readonly string[]): Promise<number> {
  return (await database.query(statement, [ids])).length;
}
