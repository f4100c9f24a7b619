import type { Config } from '../../../config.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** Stores how long changes of an object are joined, for the triggers that record changes. */
export async function updateJoining(
  database: Queryable,
  { CHANGE_JOIN_SECONDS, CHANGE_JOIN_HISTORICAL_SECONDS }: Config,
): Promise<void> {
  await database.query(
    `update changes.joining set live = $1 * interval '1 second', historical = $2 * interval '1 second'
     where (live, historical) is distinct from ($1 * interval '1 second', $2 * interval '1 second')`,
    [CHANGE_JOIN_SECONDS, CHANGE_JOIN_HISTORICAL_SECONDS],
  );
}
