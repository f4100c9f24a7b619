import type { Queryable } from '../../../mixins/database.ts';

// Locked in one order: two deliveries of the same people cannot wait for each other.
const statement = `
with held as (select id from users.connection where id = any($1::uuid[]) order by id for no key update)
update users.connection c set last_synced_at = clock_timestamp() from held where c.id = held.id returning c.id`;

/** Notes that connections received data just now; returns how many of them there are. */
export async function touchConnections(database: Queryable, ids: readonly string[]): Promise<number> {
  return (await database.query(statement, [ids])).length;
}
