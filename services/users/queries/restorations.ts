import type { Queryable } from '../../../mixins/database.ts';

/** A connection that is active again and has work to resume. */
export interface Restoration {
  readonly connection_id: string;
  readonly attempt: number;
  readonly since: Date;
  readonly tries: number;
}

/** The work is resumed at least twice: a fetch that saw the former ending may have stopped after the first time. */
const leastTries = 2;
const retryAfterSeconds = 60;
/** The maximum number of tries of a restoration, one per minute. */
const mostTries = 1440;

const claimed = `
with due as (
  select connection_id from users.access_check where ending = 'restoring' and run_at <= now()
  order by run_at limit 1 for update skip locked)
update users.access_check a
set attempt = attempt + 1, failures = failures + 1, run_at = now() + interval '${retryAfterSeconds} seconds'
from due where a.connection_id = due.connection_id
returning a.connection_id, a.attempt, a.ending_since as since, a.failures as tries`;

/** Claims one connection that is being restored; undefined where none is due. */
export async function claimRestoration(database: Queryable): Promise<Restoration | undefined> {
  const [row] = await database.query<Restoration>(claimed);
  return row;
}

/** Ends a restoration that is finished or has used up its tries; fenced by its attempt. */
export async function finishRestoration(
  database: Queryable,
  { connection_id, attempt, tries }: Restoration,
  isDone: boolean,
): Promise<boolean> {
  if (!(isDone && tries >= leastTries) && tries < mostTries) return false;
  const rows = await database.query(
    `update users.access_check set ending = null, ending_since = null, failures = 0
     where connection_id = $1 and attempt = $2 and ending = 'restoring' returning connection_id`,
    [connection_id, attempt],
  );
  return rows.length > 0;
}
