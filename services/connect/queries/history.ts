import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection whose history is to be asked for. */
export interface WantedHistory {
  readonly user_id: string;
  readonly provider: ProviderName;
}

// Not due yet: whoever writes it asks at once, and the rounds do only if that did not happen.
const wanted = `
insert into connect.history (user_id, provider, run_at) values ($1, $2, now() + interval '20 seconds')
on conflict (user_id, provider) do update set run_at = excluded.run_at, attempts = 0, wanted_at = now()`;

/** Writes down that history is wanted. */
export async function wantHistory(database: Queryable, { user_id, provider }: WantedHistory): Promise<void> {
  await database.query(wanted, [user_id, provider]);
}

/** It was asked for, or is wanted no more. */
export async function dropHistory(database: Queryable, { user_id, provider }: WantedHistory): Promise<void> {
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

/** Some that are due, each for one process; after a day it is given up. */
export async function claimHistory(database: Queryable): Promise<WantedHistory[]> {
  await database.query(old);
  return database.query<WantedHistory & { user_id: string }>(claimed);
}
