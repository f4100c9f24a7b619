import type { Database, Queryable } from '../../../mixins/database/database.ts';
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

/** What delays the deletion of a project. */
interface Left {
  readonly users: number;
  readonly erasing: number;
  readonly revocations: number;
}

/** The number of users of a project, of deleted ones whose erasure in other services is not finished, and of waiting revocations. */
export async function selectLeftInProject(database: Queryable, project: string): Promise<Left> {
  const [row] = await database.query<Pick<Left, 'users' | 'erasing'>>(
    `select count(*) filter (where deleted_at is null)::int as users,
       count(*) filter (where deleted_at is not null and erased_at is null)::int as erasing
     from users.person where project_id = $1`,
    [project],
  );
  return { ...(row ?? { users: 0, erasing: 0 }), revocations: await countRevocations(database, project) };
}

/** Deletes the counts of connections and their states of a project without users. Returns the number of rows. */
export async function deleteCounts(database: Queryable, project: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `with connections as (delete from users.connection_change where project_id = $1 returning 1),
       states as (delete from users.person_status_change where project_id = $1 returning 1)
     select ((select count(*) from connections) + (select count(*) from states))::int as n`,
    [project],
  );
  return row?.n ?? 0;
}

/** Whether a project is closed: it gets no users any more. */
export async function isClosed(database: Queryable, project: string): Promise<boolean> {
  const statement = 'select from users.closed_project where project_id = $1';
  return (await database.query(statement, [project])).length > 0;
}
