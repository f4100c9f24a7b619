import { hourMs, minuteMs, type Range } from '../../../domain/time.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { RangePieces } from '../range-pieces.ts';
import { type BucketSize, floorTo } from '../resolutions.ts';

/** How many items one series has in a range. */
export interface SeriesCount {
  id: number;
  n: number;
}

// Exact, and from statistics: whole days and hours are sums of counts, only the two edges look at samples (or, of
// buckets, at the minutes of their hours). 31 million matching rows: 1.7 ms; count(*) over them: 1.4 s.
const wholes = (day: string, hour: string) => `
  select s.id, (d.n + h.n + e.n)::float8 as n
  from unnest($1::int[]) s (id)
  cross join lateral (
    select coalesce(sum(${day}), 0) as n from timeseries.sample_day
    where series_id = s.id and bucket >= $2 and bucket < $3
  ) d
  cross join lateral (
    select coalesce(sum(${hour}), 0) as n
    from unnest($4::timestamptz[], $5::timestamptz[]) p (first, beyond)
    join timeseries.sample_hour on series_id = s.id and bucket >= p.first and bucket < p.beyond
  ) h`;

// Each edge has bounds of its own: the planner sees that it lies in one chunk. A range of whole hours has none.
const samples = {
  name: 'timeseries-count-samples',
  text: `${wholes('n', 'n')}
    cross join lateral (
      select (select count(*) from timeseries.sample where series_id = s.id and ts >= $6 and ts < $7)
        + (select count(*) from timeseries.sample where series_id = s.id and ts >= $8 and ts < $9) as n
    ) e`,
};

const wholeHours = {
  name: 'timeseries-count-samples-whole-hours',
  text: `${wholes('n', 'n')} cross join (select 0 as n) e`,
};

const buckets = ({ resolution, countColumn, countInMask }: BucketSize) => ({
  name: `timeseries-count-${resolution}`,
  text:
    countInMask === null
      ? `${wholes('n60', '1')} cross join (select 0 as n) e`
      : `${wholes(countColumn, countColumn)}
    cross join lateral (
      select coalesce(sum(timeseries.${countInMask}(mask & p.minutes)), 0) as n
      from unnest($6::timestamptz[], $7::bigint[]) p (hour, minutes)
      join timeseries.sample_hour on series_id = s.id and bucket = p.hour
    ) e`,
});

/** Exact numbers of samples, or of buckets that are not empty, of each series in a range cut into pieces. */
export function countSamples(
  database: Queryable,
  seriesIds: readonly number[],
  { days, hours, edges }: RangePieces,
  size: BucketSize | null,
): Promise<SeriesCount[]> {
  const none = { startMs: 0, endMs: 0 };
  const shared = [seriesIds, ...instants(days ?? none), ...columns(hours)];
  if (size === null && edges.length === 0) return database.query<SeriesCount>(wholeHours, shared);
  if (size === null) {
    const [first = none, second = none] = edges;
    return database.query<SeriesCount>(samples, [...shared, ...instants(first), ...instants(second)]);
  }
  if (size.countInMask === null) return database.query<SeriesCount>(buckets(size), shared);
  const masks = [edges.map(({ startMs }) => iso(floorTo(startMs, hourMs))), edges.map(minutesOf)];
  return database.query<SeriesCount>(buckets(size), [...shared, ...masks]);
}

/** The minutes of a piece of one hour, as a mask. */
function minutesOf({ startMs, endMs }: Range): string {
  const first = BigInt(Math.floor((startMs - floorTo(startMs, hourMs)) / minuteMs));
  const length = BigInt((endMs - startMs) / minuteMs);
  return String(((1n << length) - 1n) << first);
}

function instants({ startMs, endMs }: Range): [string, string] {
  return [iso(startMs), iso(endMs)];
}

function columns(ranges: readonly Range[]): [string[], string[]] {
  return [ranges.map(({ startMs }) => iso(startMs)), ranges.map(({ endMs }) => iso(endMs))];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
