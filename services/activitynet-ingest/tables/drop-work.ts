import type { Queryable } from '../../../mixins/database/database.ts';
import { endListings } from './listings.ts';

/** Drops the waiting fetches of a connection that ended, and ends its lists. Returns the number of fetches. */
export async function dropConnection(database: Queryable, connectionId: string): Promise<number> {
  await endListings(database, connectionId);
  const rows = await database.query(
    `update activitynet.activity set work = null, error = 'CONNECTION_GONE', version = version + 1,
       run_at = case when leased then run_at else now() end
     where connection_id = $1 and work = 'fetch' returning object_id`,
    [connectionId],
  );
  return rows.length;
}

/** Deletes the lists and activity states of a user. Returns the number of activities. */
export async function deleteUser(database: Queryable, userId: string): Promise<number> {
  await database.query('delete from activitynet.listing where user_id = $1', [userId]);
  const statement = 'delete from activitynet.activity where user_id = $1 returning object_id';
  return (await database.query(statement, [userId])).length;
}
