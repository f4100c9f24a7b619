import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection whose backfill is still to be started. */
export interface PendingBackfill {
  readonly user_id: string;
  readonly provider: ProviderName;
}

// The row is due after 20 s: the caller starts the backfill at once, and the periodic task only if the caller did not.
const wanted = `
insert into connect.history (user_id, provider, run_at) values ($1, $2, now() + interval '20 seconds')
on conflict (user_id, provider) do update set run_at = excluded.run_at, attempts = 0, wanted_at = now()`;

/** Stores that a backfill is to be started. */
export async function insertPendingBackfill(
  database: Queryable,
  { user_id, provider }: PendingBackfill,
): Promise<void> {
  await database.query(wanted, [user_id, provider]);
}

/** Deletes a pending backfill that was started or is no longer needed. */
export async function deletePendingBackfill(
  database: Queryable,
  { user_id, provider }: PendingBackfill,
): Promise<void> {
  await database.query('delete from connect.history where user_id = $1 and provider = $2', [
    user_id,
    provider,
  ]);
}

const old = `delete from connect.history where wanted_at < now() - interval '1 day'`;
const claimed = `
with due as (
  select user_id, provider from connect.history where run_at <= now() order by run_at limit 20 for update skip locked)
update connect.history h
set attempts = attempts + 1, run_at = now() + least(1800, 4 * 2 ^ least(attempts, 10)) * interval '1 s'
from due where h.user_id = due.user_id and h.provider = due.provider
returning h.user_id, h.provider`;

/** Claims due pending backfills, each for one process, and deletes those older than a day. */
export async function claimPendingBackfills(database: Queryable): Promise<PendingBackfill[]> {
  await database.query(old);
  return database.query<PendingBackfill & { user_id: string }>(claimed);
}
