import type { Database } from '../../../mixins/database/database.ts';
import { countRevocations } from './token-revocations.ts';

/**
 * Closes a project that has no users and no waiting revocations, so that it gets no users: a user who is being created is counted,
 * or is refused. Returns both numbers; unless they are 0, the project stays open, except `withUsers`.
 */
export function closeProject(
  database: Database,
  project: string,
  withUsers: boolean,
): Promise<{ readonly users: number; readonly revocations: number }> {
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(1970366051, hashtext($1))', [project]);
    const counted =
      'select count(*)::int as n from users.person where project_id = $1 and deleted_at is null';
    const [row] = await transaction.query<{ n: number }>(counted, [project]);
    const users = row?.n ?? 0;
    // Counted after the users: the deletion of a user enqueues its revocations in the same transaction.
    const revocations = await countRevocations(transaction, project);
    const close = 'insert into users.closed_project (project_id) values ($1) on conflict do nothing';
    if (users + revocations === 0 || withUsers) await transaction.query(close, [project]);
    return { users, revocations };
  });
}
