import type { Queryable } from '../../../mixins/database/database.ts';

/** Notes that a deleted user is to be removed from the destinations of the project. Returns their ids. */
export async function insertErasures(transaction: Queryable, userId: string): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `insert into destinations.erasure (destination_id, user_id)
     select d.id, $1 from destinations.destination d
     where d.project_id = coalesce((select project_id from users.person where id = $1), d.project_id)
     on conflict (destination_id, user_id) do update set requested_at = now() returning destination_id as id`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** Users at once, so that the conditions of a part are bounded. */
const mostUsers = 100;

/** The deleted users that are still to be removed from a destination, at most 100. */
export async function selectErasures(database: Queryable, destinationId: string): Promise<string[]> {
  const rows = await database.query<{ user_id: string }>(
    `select user_id from destinations.erasure where destination_id = $1 order by requested_at limit ${mostUsers}`,
    [destinationId],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Deletes what is stored here of users whose removal is proven. */
export async function deleteErased(
  transaction: Queryable,
  destinationId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const table of ['erasure', 'user_span', 'record'])
    await transaction.query(
      `delete from destinations.${table} where destination_id = $1 and user_id = any($2::uuid[])`,
      [destinationId, userIds],
    );
}
