import type { Queryable } from '../../../mixins/database/database.ts';

/** The number of users of a project, and of deleted ones whose erasure in other services is not finished. */
export async function selectLeftInProject(
  database: Queryable,
  project: string,
): Promise<{ readonly users: number; readonly erasing: number }> {
  const [row] = await database.query<{ users: number; erasing: number }>(
    `select count(*) filter (where deleted_at is null)::int as users,
       count(*) filter (where deleted_at is not null and erased_at is null)::int as erasing
     from users.person where project_id = $1`,
    [project],
  );
  return row ?? { users: 0, erasing: 0 };
}
