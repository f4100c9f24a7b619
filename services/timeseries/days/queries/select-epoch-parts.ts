import type { SeriesType } from '../../../../domain/records/series.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A part of a slot as stored (`epoch-parts.ts`). */
export interface EpochPartRow {
  start_ms: number;
  activity_type: string;
  device: string;
  zone_offset_minutes: number;
  placed_by: number | null;
  local_date: string;
  slot_seconds: number | null;
  active_seconds: number | null;
  sedentary_seconds: number | null;
  vals: Partial<Record<SeriesType, number>>;
  delivery: number;
  /** The values of a superseded part. Null if the part counts. */
  superseded: {
    readonly sedentary_seconds: number | null;
    readonly vals: Partial<Record<SeriesType, number>>;
  } | null;
}

const statement = {
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
  return transaction.query<EpochPartRow>(statement, [userId, provider, slots]);
}
