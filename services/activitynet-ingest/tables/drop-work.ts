import type { Queryable } from '../../../mixins/database/database.ts';

/** Drops the waiting fetches of a connection that ended, ends its reconciliation and stops its backfill run. Returns the number of fetches. */
export async function dropConnection(database: Queryable, connectionId: string): Promise<number> {
  await database.query(
    `update activitynet.history set state = 'stopped', reason = 'CONNECTION_GONE', finished_at = now()
     where connection_id = $1 and state in ('listing', 'fetching')`,
    [connectionId],
  );
  await database.query('delete from activitynet.reconciliation where connection_id = $1', [connectionId]);
  const rows = await database.query(
    `update activitynet.activity set work = null, error = 'CONNECTION_GONE', version = version + 1,
       run_at = case when leased then run_at else now() end
     where connection_id = $1 and work = 'fetch' returning object_id`,
    [connectionId],
  );
  return rows.length;
}

/** Deletes the activity states of a user. Returns their number. */
export async function deleteUser(database: Queryable, userId: string): Promise<number> {
  for (const table of ['history', 'reconciliation'])
    await database.query(`delete from activitynet.${table} where user_id = $1`, [userId]);
  const statement = 'delete from activitynet.activity where user_id = $1 returning object_id';
  return (await database.query(statement, [userId])).length;
}
