import type { Queryable } from '../../../../mixins/database/database.ts';
import type { DaySpan } from '../../days/local-days.ts';

/** An interval whose offset puts its start on another date than the record that covers it. */
export interface MisdatedRow {
  key: string;
  type_id: number;
  start_ms: number;
  duration_ms: number;
  zone_offset_minutes: number;
}

const select = {
  name: 'timeseries-select-misdated-intervals',
  text: `
    select v.key, s.type_id, floor(extract(epoch from v.start_time) * 1000)::float8 as start_ms, v.duration_ms,
      v.zone_offset_minutes
    from timeseries.series s
    cross join unnest($3::date[], $4::float8[], $5::float8[]) as t (date, start_ms, end_ms)
    join timeseries.interval_value v on v.series_id = s.id
      and v.start_time >= to_timestamp(t.start_ms / 1000) and v.start_time < to_timestamp(t.end_ms / 1000)
    where s.user_id = $1 and s.provider = $2 and s.is_interval and (v.placed_by is null or v.placed_by > 0)
      and timeseries.local_midnight(v.start_time, v.zone_offset_minutes) <> t.date::timestamp at time zone 'UTC'`,
};

const update = {
  name: 'timeseries-update-interval-offsets',
  text: `
    with moved as (
      update timeseries.interval_value v set zone_offset_minutes = t.zone_offset_minutes
      from unnest($2::uuid[], $3::smallint[]) t (key, zone_offset_minutes)
      where v.set_id = $1 and v.key = t.key
      returning v.series_id, v.zone_offset_minutes
    )
    update timeseries.interval_series i
    set min_offset_minutes = least(i.min_offset_minutes, m.least), max_offset_minutes = greatest(i.max_offset_minutes, m.greatest)
    from (
      select series_id, min(zone_offset_minutes) as least, max(zone_offset_minutes) as greatest from moved group by 1) m
    where m.series_id = i.series_id`,
};

/** Intervals that start within the spans of daily records and are dated otherwise. */
export function selectMisdatedIntervals(
  transaction: Queryable,
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  days: readonly DaySpan[],
): Promise<MisdatedRow[]> {
  return transaction.query<MisdatedRow>(select, [
    ...[user_id, provider, days.map(({ date }) => date)],
    ...[days.map(({ startMs }) => startMs), days.map(({ endMs }) => endMs)],
  ]);
}

/** Gives intervals other offsets. */
export async function updateOffsets(
  transaction: Queryable,
  setId: number,
  rows: readonly Pick<MisdatedRow, 'key' | 'zone_offset_minutes'>[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.query(update, [
    ...[setId, rows.map(({ key }) => key)],
    rows.map(({ zone_offset_minutes }) => zone_offset_minutes),
  ]);
}
