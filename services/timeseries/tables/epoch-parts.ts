import type { SeriesType } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** A stored part of a slot: what one activity type sent of it. */
export interface EpochPartRow {
  start_ms: number;
  activity_type: string;
  device: string;
  zone_offset_minutes: number;
  placed_by: number | null;
  local_date: string;
  /** The length of the slot as the part reports it. */
  slot_seconds: number | null;
  active_seconds: number | null;
  sedentary_seconds: number | null;
  vals: Partial<Record<SeriesType, number>>;
  /** Higher for parts of the slot that were delivered later. */
  delivery: number;
  /** The values of a superseded part. Null if the part counts. */
  superseded: {
    readonly sedentary_seconds: number | null;
    readonly vals: Partial<Record<SeriesType, number>>;
  } | null;
}

const selectStatement = {
  name: 'timeseries-select-epoch-parts',
  text: `
    select (extract(epoch from p.start_time) * 1000)::float8 as start_ms, p.activity_type, p.device,
      p.zone_offset_minutes, p.placed_by, p.local_date::text, p.slot_seconds, p.active_seconds, p.sedentary_seconds, p.vals,
      p.delivery, p.superseded
    from unnest($3::float8[]) slot (ms)
    join timeseries.epoch_part p
      on p.user_id = $1 and p.provider = $2 and p.start_time = to_timestamp(slot.ms / 1000)`,
};

/** All stored parts of the slots that begin at the given instants. */
export function selectEpochParts(
  transaction: Queryable,
  userId: string,
  provider: string,
  slots: readonly number[],
): Promise<EpochPartRow[]> {
  return transaction.query<EpochPartRow>(selectStatement, [userId, provider, slots]);
}

const upsertStatement = {
  name: 'timeseries-upsert-epoch-parts',
  text: `
    insert into timeseries.epoch_part as p (user_id, provider, start_time, activity_type, device, zone_offset_minutes,
      local_date, slot_seconds, active_seconds, sedentary_seconds, vals, delivery, superseded, placed_by)
    select $1, $2, to_timestamp(start_ms / 1000), activity_type, device, zone_offset_minutes, local_date,
      slot_seconds, active_seconds, sedentary_seconds, vals, delivery, superseded, placed_by
    from jsonb_to_recordset($3) t (start_ms float8, activity_type text, device text, zone_offset_minutes smallint,
      local_date date, slot_seconds int, active_seconds int, sedentary_seconds int, vals jsonb, delivery int,
      superseded jsonb, placed_by smallint)
    order by start_ms, activity_type
    on conflict (user_id, provider, start_time, activity_type) do update
      set device = excluded.device, zone_offset_minutes = excluded.zone_offset_minutes,
        local_date = excluded.local_date, slot_seconds = excluded.slot_seconds,
        active_seconds = excluded.active_seconds, sedentary_seconds = excluded.sedentary_seconds,
        vals = excluded.vals, delivery = excluded.delivery, superseded = excluded.superseded,
        placed_by = excluded.placed_by`,
};

/** Writes parts of slots in one statement. Their keys (slot and activity type) must be distinct. */
export async function upsertEpochParts(
  transaction: Queryable,
  userId: string,
  provider: string,
  parts: readonly EpochPartRow[],
): Promise<void> {
  await transaction.query(upsertStatement, [userId, provider, JSON.stringify(parts)]);
}
