import { dayMs } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';
import { ceilTo, floorTo } from '../resolutions.ts';
import { isoMicroseconds, outerBounds, type ScanRange } from '../scan-range.ts';

/** The column of sample_day that counts what is listed. */
export type DayCount = 'n' | 'n1' | 'n5' | 'n15' | 'n60';

// Windows of 1, 2, 4 … days, until the counts of whole days fill a page: a few index probes of each series.
const textOf = (column: DayCount, isForward: boolean) => {
  const [low, high] = isForward ? ['w.edge', 'w.edge + w.width'] : ['w.edge - w.width', 'w.edge'];
  return `
    with recursive span (edge, width, n) as (
      select $2::timestamptz, interval '24 hours', 0::numeric
      union all
      select w.edge ${isForward ? '+' : '-'} w.width, w.width * 2, w.n + (
        select coalesce(sum(${column}), 0) from unnest($1::int[]) s (id)
        join timeseries.sample_day on series_id = s.id and bucket >= ${low} and bucket < ${high})
      from span w where w.n < $4 and w.edge ${isForward ? '<' : '>'} $3
    )
    select (extract(epoch from edge) * 1000000)::float8 as bound from span where n >= $4`;
};

/**
 * An instant, in microseconds, by which a page of `most` items is full for certain; null where nothing bounds it.
 * For users with many series: 83 of them over a year cost 24-32 ms a page without it.
 */
export async function selectDayBound(
  database: Queryable,
  reach: ScanRange,
  column: DayCount,
  most: number,
): Promise<number | null> {
  const isForward = reach.direction === 'next';
  const { first, beyond } = outerBounds(reach);
  // Bounds of the series differ by a bucket at most; a day that the reach has only a part of counts for nothing.
  const latestFirst = Math.max(...reach.series.map((one) => one.first));
  const earliestBeyond = Math.min(...reach.series.map((one) => one.beyond));
  const dayUs = dayMs * 1000;
  const edges = isForward ? [ceilTo(latestFirst, dayUs), beyond] : [floorTo(earliestBeyond, dayUs), first];
  const statement = {
    name: `timeseries-select-day-bound-${column}-${reach.direction}`,
    text: textOf(column, isForward),
  };
  const ids = reach.series.map(({ id }) => id);
  const values = [ids, ...edges.map(isoMicroseconds), most];
  const [row] = await database.query<{ bound: number }>(statement, values);
  return row?.bound ?? null;
}
