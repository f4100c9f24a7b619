import type { Queryable } from '../../../../mixins/database/database.ts';

/** An interval that overlaps a window. */
export interface OverlappingRow {
  window: number;
  series_id: number;
  start_ms: number;
  end_ms: number;
  value: number;
  zone_offset_minutes: number;
}

/** A window of one series. `longestMs`: no interval of the series is longer. */
export interface SeriesWindow {
  readonly window: number;
  readonly seriesId: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly longestMs: number;
}

// The instants have microseconds. A double holds them to a quarter of one, so that half of one is added before they are cut
// off: extract() is exact, but takes three times as long. Each series is one range of the index on (series, start), which begins as long before the window as its longest interval.
const statement = {
  name: 'timeseries-select-overlapping-intervals',
  text: `
    select w.place as window, v.series_id, floor(date_part('epoch', v.start_time) * 1000 + 0.0005) as start_ms,
      floor(date_part('epoch', v.start_time) * 1000 + 0.0005) + v.duration_ms as end_ms, v.value, v.zone_offset_minutes
    from unnest($1::int[], $2::int[], $3::float8[], $4::float8[], $5::int[])
      w (place, series_id, start_ms, end_ms, longest_ms)
    join timeseries.interval_value v on v.series_id = w.series_id
      and v.start_time >= to_timestamp((w.start_ms - w.longest_ms) / 1000) and v.start_time < to_timestamp(w.end_ms / 1000)
    where v.start_time + greatest(v.duration_ms, 1) * interval '1 millisecond' > to_timestamp(w.start_ms / 1000)`,
};

/** The intervals that overlap windows. */
export async function selectOverlapping(
  database: Queryable,
  windows: readonly SeriesWindow[],
): Promise<OverlappingRow[]> {
  if (windows.length === 0) return [];
  return database.query<OverlappingRow>(statement, [
    windows.map(({ window }) => window),
    windows.map(({ seriesId }) => seriesId),
    windows.map(({ startMs }) => startMs),
    windows.map(({ endMs }) => endMs),
    windows.map(({ longestMs }) => longestMs),
  ]);
}
