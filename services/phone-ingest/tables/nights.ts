import type { Queryable } from '../../../mixins/database/database.ts';
import type { NightRow } from '../rules/night-plan.ts';

const overlapping = `
select id, extract(epoch from start_time)::float8 * 1000 as start_ms, extract(epoch from end_time)::float8 * 1000 as end_ms,
  asleep_seconds, is_nap, hash
from phone.night
where user_id = $1 and end_time > to_timestamp($2::float8 / 1000) and start_time < to_timestamp($3::float8 / 1000)
order by start_time, id`;

/** The nights that overlap a span. */
export function selectNights(
  database: Queryable,
  userId: string,
  startMs: number,
  endMs: number,
): Promise<NightRow[]> {
  return database.query<NightRow>(overlapping, [userId, startMs, endMs]);
}

const upserted = `
insert into phone.night as held (user_id, id, start_time, end_time, asleep_seconds, is_nap, hash)
select $1, id, to_timestamp(start_ms / 1000), to_timestamp(end_ms / 1000), asleep_seconds, is_nap, hash
from jsonb_to_recordset($2)
  t (id uuid, start_ms float8, end_ms float8, asleep_seconds int, is_nap boolean, hash text)
on conflict (user_id, id) do update set start_time = excluded.start_time, end_time = excluded.end_time,
  asleep_seconds = excluded.asleep_seconds, is_nap = excluded.is_nap, hash = excluded.hash`;

/** Stores nights. */
export async function upsertNights(
  transaction: Queryable,
  userId: string,
  nights: readonly NightRow[],
): Promise<void> {
  if (nights.length > 0) await transaction.query(upserted, [userId, JSON.stringify(nights)]);
}

/** Deletes nights. */
export async function deleteNights(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0)
    await transaction.query('delete from phone.night where user_id = $1 and id = any($2::uuid[])', [
      userId,
      ids,
    ]);
}
