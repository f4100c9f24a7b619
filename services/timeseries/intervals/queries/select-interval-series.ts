import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series of intervals with its source and bounds. */
export interface IntervalSeriesRow {
  id: number;
  type_id: number;
  provider: string;
  device: string;
  device_type: string;
  longest_ms: number;
  min_offset_minutes: number;
  max_offset_minutes: number;
  /** The configured order by which the user's statistics are computed. Null: not known. */
  ranked_by: string | null;
  /** They are to be computed anew. */
  is_pending: boolean;
}

const statement = {
  name: 'timeseries-select-interval-series',
  text: `
    select s.id, s.type_id, s.provider, s.device, o.device_type, i.longest_ms, i.min_offset_minutes, i.max_offset_minutes,
      t.ranked_by, i.settled < i.requested as is_pending
    from timeseries.series s
    join timeseries.interval_series i on i.series_id = s.id
    join timeseries.interval_source o on o.id = i.source_id
    join timeseries.interval_set t on t.id = o.set_id
    where s.user_id = $1 and s.is_interval and ($2::smallint[] is null or s.type_id = any($2))`,
};

/** A user's series of intervals of the given types, or all. */
export function selectIntervalSeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
): Promise<IntervalSeriesRow[]> {
  return database.query<IntervalSeriesRow>(statement, [userId, typeIds]);
}
