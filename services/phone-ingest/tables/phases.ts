import type { Queryable } from '../../../mixins/database/database.ts';
import type { NightPhase } from '../../../providers/phone/nights/join-phases.ts';

// A phase that is sent again with another span reopens the nights of both spans. Equal phases change nothing.
const upserted = `
with given as (
  select distinct on (id) id, source, device, device_type, stage, to_timestamp(start_ms / 1000) as start_time,
    to_timestamp(end_ms / 1000) as end_time, zone_offset_minutes, score
  from jsonb_to_recordset($2) t (id text, source text, device text, device_type text, stage text, start_ms float8,
    end_ms float8, zone_offset_minutes int, score int)
), moved as (
  insert into phone.reopened (user_id, start_time, end_time)
  select $1, p.start_time, p.end_time from phone.phase p join given g using (id)
  where p.user_id = $1 and (p.start_time, p.end_time) is distinct from (g.start_time, g.end_time)
)
insert into phone.phase as held (user_id, id, source, device, device_type, stage, start_time, end_time,
  zone_offset_minutes, score)
select $1, id, source, device, device_type, stage, start_time, end_time, zone_offset_minutes, score from given
on conflict (user_id, id) do update set source = excluded.source, device = excluded.device,
  device_type = excluded.device_type, stage = excluded.stage, start_time = excluded.start_time,
  end_time = excluded.end_time, zone_offset_minutes = excluded.zone_offset_minutes, score = excluded.score,
  settled_at = null
where (held.source, held.stage, held.start_time, held.end_time, held.zone_offset_minutes, held.score)
  is distinct from (excluded.source, excluded.stage, excluded.start_time, excluded.end_time,
    excluded.zone_offset_minutes, excluded.score)
returning id`;

/** Stores phases. Returns the number of those that are new or changed. */
export async function upsertPhases(
  transaction: Queryable,
  userId: string,
  phases: readonly NightPhase[],
): Promise<number> {
  return (await transaction.query(upserted, [userId, JSON.stringify(phases)])).length;
}

const reopened = 'update phone.phase set settled_at = null where user_id = $1 and id = any($2::text[])';

/** Has the nights of phases computed again. */
export async function reopenPhases(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(reopened, [userId, ids]);
}

const deleted = `
with gone as (delete from phone.phase where user_id = $1 and id = any($2::text[]) returning start_time, end_time)
insert into phone.reopened (user_id, start_time, end_time) select $1, start_time, end_time from gone returning 1`;

/** Deletes phases and reopens their nights. Returns their number. */
export async function deletePhases(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<number> {
  return (await transaction.query(deleted, [userId, ids])).length;
}

const first = `
select extract(epoch from min(start_time))::float8 * 1000 as ms from (
  select start_time from phone.phase where user_id = $1 and settled_at is null
  union all select start_time from phone.reopened where user_id = $1) open`;

/** The start of the first phase whose night is not computed. Null: all nights are. */
export async function firstOpenMs(database: Queryable, userId: string): Promise<number | null> {
  const [row] = await database.query<{ ms: number | null }>(first, [userId]);
  return row?.ms ?? null;
}

const within = `
select id, source, device, device_type, stage, zone_offset_minutes, score,
  extract(epoch from start_time)::float8 * 1000 as start_ms, extract(epoch from end_time)::float8 * 1000 as end_ms
from phone.phase
where user_id = $1 and start_time >= to_timestamp($2::float8 / 1000) and start_time < to_timestamp($3::float8 / 1000)
order by start_time, id`;

/** The phases that start in [startMs, endMs), in the order of time. */
export function selectPhases(
  database: Queryable,
  userId: string,
  startMs: number,
  endMs: number,
): Promise<NightPhase[]> {
  return database.query<NightPhase>(within, [userId, startMs, endMs]);
}

const locked = `
select id, source, device, device_type, stage, zone_offset_minutes, score,
  extract(epoch from start_time)::float8 * 1000 as start_ms, extract(epoch from end_time)::float8 * 1000 as end_ms
from phone.phase where user_id = $1 and id = any($2::text[]) order by start_time, id for no key update`;

/** Phases by their ids, in the order of time. They do not change until the transaction ends. */
export function lockPhases(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<NightPhase[]> {
  return transaction.query<NightPhase>(locked, [userId, ids]);
}

const settled = `
update phone.phase set settled_at = now()
where user_id = $1 and settled_at is null and start_time < to_timestamp($2::float8 / 1000) and id = any($3::text[])`;
const closed = `delete from phone.reopened where user_id = $1 and start_time < to_timestamp($2::float8 / 1000)`;

/** Marks the nights of the given phases that start before an instant as computed. */
export async function settlePhases(
  transaction: Queryable,
  userId: string,
  beforeMs: number,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(settled, [userId, beforeMs, ids]);
  await transaction.query(closed, [userId, beforeMs]);
}
