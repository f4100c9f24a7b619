import type { Queryable } from '../../../mixins/database/database.ts';

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
