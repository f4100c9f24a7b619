import type { Database } from '../../../mixins/database/database.ts';

/**
 * Closes a project that has no users, so that it gets none: a user who is being created is counted, or is refused. Returns the
 * number of users; unless it is 0, the project stays open, except `withUsers`.
 */
export function closeProject(database: Database, project: string, withUsers: boolean): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(1970366051, hashtext($1))', [project]);
    const counted =
      'select count(*)::int as n from users.person where project_id = $1 and deleted_at is null';
    const [row] = await transaction.query<{ n: number }>(counted, [project]);
    const users = row?.n ?? 0;
    const close = 'insert into users.closed_project (project_id) values ($1) on conflict do nothing';
    if (users === 0 || withUsers) await transaction.query(close, [project]);
    return users;
  });
}
