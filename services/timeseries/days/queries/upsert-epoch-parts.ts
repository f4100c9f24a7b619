import type { Queryable } from '../../../../mixins/database/database.ts';
import type { EpochPartRow } from './select-epoch-parts.ts';

const statement = {
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
  await transaction.query(statement, [userId, provider, JSON.stringify(parts)]);
}
