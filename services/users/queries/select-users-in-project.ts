import type { Queryable } from '../../../mixins/database/database.ts';

/** The ids of the next users of a project after an id, in their order. Deleted users are left out. */
export async function selectUsersInProject(
  database: Queryable,
  project: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from users.person
     where project_id = $1 and deleted_at is null and id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
     order by id limit $3`,
    [project, after, limit],
  );
  return rows.map(({ id }) => id);
}
