import type { Queryable } from '../../../../mixins/database/database.ts';

/** The item that a row of day values belongs to. */
interface DayValuesIdentity {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
}

/** Columns of day values. `vals` and `extra` are JSON text. */
export interface DayValuesRow extends DayValuesIdentity {
  readonly id: string;
  readonly device: string;
  readonly date: string;
  readonly start_time: string;
  readonly duration_seconds: number;
  readonly zone_offset_minutes: number | null;
  readonly vals: string;
  readonly extra: string | null;
  readonly normaliser_version: number | null;
  readonly placed_by: number | null;
}

const upsert = {
  name: 'timeseries-upsert-day-values',
  text: `
    insert into timeseries.day_value (id, user_id, provider, data_type, key, device, date, start_time, duration_seconds,
      zone_offset_minutes, vals, extra, normaliser_version, placed_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (user_id, provider, data_type, key) do update
      set device = excluded.device, date = excluded.date, start_time = excluded.start_time,
        duration_seconds = excluded.duration_seconds, zone_offset_minutes = excluded.zone_offset_minutes,
        vals = excluded.vals, extra = excluded.extra, normaliser_version = excluded.normaliser_version,
        placed_by = excluded.placed_by`,
};

/** Inserts the day values of an item, or replaces those of its older version. */
export async function upsertDayValues(transaction: Queryable, row: DayValuesRow): Promise<void> {
  const { id, user_id, provider, data_type, key, device, date, start_time, duration_seconds } = row;
  const values = [id, user_id, provider, data_type, key, device, date, start_time, duration_seconds];
  const { zone_offset_minutes, vals, extra, normaliser_version, placed_by } = row;
  await transaction.query(upsert, [
    ...values,
    ...[zone_offset_minutes, vals, extra, normaliser_version, placed_by],
  ]);
}
