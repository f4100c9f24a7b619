import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series of intervals, with the bounds that the intervals of a call have. */
export interface IntervalSeriesKey {
  readonly type_id: number;
  readonly source_id: number;
  readonly device: string;
  readonly longest_ms: number;
  readonly min_offset_minutes: number;
  readonly max_offset_minutes: number;
}

interface SeriesRow {
  id: number;
  type_id: number;
  source_id: number;
}

const statement = {
  name: 'timeseries-ensure-interval-series',
  text: `
    with given as (
      select * from unnest($3::smallint[], $4::int[], $5::text[], $6::int[], $7::smallint[], $8::smallint[])
        t (type_id, source_id, device, longest_ms, min_offset_minutes, max_offset_minutes)
    ), known as (
      select s.id, s.type_id, g.source_id from given g
      join timeseries.series s
        on s.user_id = $1 and s.provider = $2 and s.type_id = g.type_id and s.device = g.device and s.is_interval
    ), added as (
      insert into timeseries.series (user_id, provider, type_id, device, is_interval)
      select $1, $2, type_id, device, true from given g
      where not exists (select from known k where (k.type_id, k.source_id) = (g.type_id, g.source_id))
      returning id, type_id, device
    ), found as (
      select * from known
      union all select a.id, a.type_id, g.source_id from added a join given g using (type_id, device)
    )
    select * from found`,
};

// The series are visible here: a foreign key refers to them.
const widen = {
  name: 'timeseries-widen-interval-series',
  text: `
    insert into timeseries.interval_series as i
      (series_id, source_id, longest_ms, min_offset_minutes, max_offset_minutes)
    select * from unnest($1::int[], $2::int[], $3::int[], $4::smallint[], $5::smallint[])
    on conflict (series_id) do update
      set longest_ms = greatest(i.longest_ms, excluded.longest_ms),
        min_offset_minutes = least(i.min_offset_minutes, excluded.min_offset_minutes),
        max_offset_minutes = greatest(i.max_offset_minutes, excluded.max_offset_minutes)
      where (i.longest_ms, i.min_offset_minutes, i.max_offset_minutes) is distinct from
        (greatest(i.longest_ms, excluded.longest_ms), least(i.min_offset_minutes, excluded.min_offset_minutes),
         greatest(i.max_offset_minutes, excluded.max_offset_minutes))`,
};

/** The ids of series of intervals. Missing ones are inserted, and their bounds are widened. The caller holds the user's lock. */
export async function ensureIntervalSeries(
  transaction: Queryable,
  whose: { readonly user_id: string; readonly provider: string },
  keys: readonly IntervalSeriesKey[],
): Promise<SeriesRow[]> {
  const rows = await transaction.query<SeriesRow>(statement, [
    ...[whose.user_id, whose.provider, keys.map(({ type_id }) => type_id)],
    ...[keys.map(({ source_id }) => source_id), keys.map(({ device }) => device), ...bounds(keys)],
  ]);
  const keyOf = (row: SeriesRow) =>
    keys.find(({ type_id, source_id }) => type_id === row.type_id && source_id === row.source_id);
  const found = rows.flatMap((row) => keyOf(row) ?? []);
  await transaction.query(widen, [
    ...[rows.map(({ id }) => id), rows.map(({ source_id }) => source_id), ...bounds(found)],
  ]);
  return rows;
}

function bounds(keys: readonly IntervalSeriesKey[]) {
  return [
    keys.map(({ longest_ms }) => longest_ms),
    keys.map(({ min_offset_minutes }) => min_offset_minutes),
    keys.map(({ max_offset_minutes }) => max_offset_minutes),
  ];
}

const widenAll = {
  name: 'timeseries-widen-interval-offsets',
  text: `
    update timeseries.interval_series i
    set min_offset_minutes = least(i.min_offset_minutes, m.least), max_offset_minutes = greatest(i.max_offset_minutes, m.greatest)
    from (
      select series_id, min(minutes) as least, max(minutes) as greatest
      from unnest($1::int[], $2::smallint[]) t (series_id, minutes) group by 1) m
    where m.series_id = i.series_id`,
};

/** Widens the bounds of the offsets of series by those of intervals that move. */
export async function widenOffsets(
  transaction: Queryable,
  rows: readonly { readonly series_id: number; readonly zone_offset_minutes: number }[],
): Promise<void> {
  await transaction.query(widenAll, [
    rows.map(({ series_id }) => series_id),
    rows.map(({ zone_offset_minutes }) => zone_offset_minutes),
  ]);
}
