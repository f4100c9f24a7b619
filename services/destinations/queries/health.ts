import type { TargetErrorCode } from '../../../domain/destinations/target-errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** Stores a failure. Returns the number of failures since the last success; null if the destination is deleted. */
export async function noteFailure(
  database: Queryable,
  id: string,
  code: TargetErrorCode,
): Promise<number | null> {
  const [row] = await database.query<{ failures: number }>(
    `update destinations.destination set failing_since = coalesce(failing_since, now()), failures = failures + 1,
       last_error = $2, last_error_at = now() where id = $1 returning failures`,
    [id, code],
  );
  return row?.failures ?? null;
}

/** Ends the failing of a destination. */
export async function noteSuccess(database: Queryable, id: string): Promise<void> {
  await database.query(
    `update destinations.destination set failing_since = null, failures = 0, last_error = null, last_error_at = null
     where id = $1 and failing_since is not null`,
    [id],
  );
}

/** The destinations that need a job: those that are not paused, and those with users to erase. */
export async function selectWorkable(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from destinations.destination d
     where not paused or exists (select from destinations.erasure e where e.destination_id = d.id)`,
  );
  return rows.map(({ id }) => id);
}
