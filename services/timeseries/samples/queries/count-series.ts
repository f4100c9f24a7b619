import { hourMs, isoTime, minuteMs, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { SeriesRow } from '../../queries/select-series.ts';
import type { RangePieces } from '../range-pieces.ts';
import { type BucketSize, floorTo } from '../resolutions.ts';

/** A series with the number of its items in a range. */
export interface CountedSeries extends SeriesRow {
  n: number;
}

// Exact, and computed from statistics: whole days and hours are sums of counts. Only the two edges read samples (or
// intervals), or for buckets the minutes of their hours. An hour without a minute is one in which intervals begin and others
// count. 31 million matching rows take 0.9 ms, count(*) takes 2 s. The plan is the same
// for all values, and planning takes four times as long as execution, so the pool plans once.
const counted = (day: string, hour: string, edges: string) => `
  select s.id, s.type_id, s.provider, s.device, s.is_interval, (d.n + h.n + e.n)::float8 as n
  from timeseries.series s
  cross join lateral (
    select coalesce(sum(${day}), 0) as n from timeseries.sample_day
    where series_id = s.id and bucket >= $3 and bucket < $4
  ) d
  cross join lateral (
    select (${hoursIn(hour, '$5', '$6')}) + (${hoursIn(hour, '$7', '$8')}) as n
  ) h
  cross join lateral (select ${edges} as n) e
  where s.user_id = $1 and ($2::smallint[] is null or s.type_id = any($2))`;

const hoursIn = (hour: string, first: string, end: string) => `
  select coalesce(sum(${hour}), 0) from timeseries.sample_hour
  where series_id = s.id and bucket >= ${first} and bucket < ${end}`;

// Each edge has bounds of its own, so that the planner reads one chunk only. A range of whole hours has no edges.
const samplesIn = (first: string, end: string) => `
  case when s.is_interval
    then (select count(*) from timeseries.interval_value where series_id = s.id and start_time >= ${first} and start_time < ${end})
    else (select count(*) from timeseries.sample where series_id = s.id and ts >= ${first} and ts < ${end}) end`;

const minutesIn = (count: string, hour: string, minutes: string) => `
  select coalesce(sum(timeseries.${count}(mask & ${minutes}::bigint)), 0) from timeseries.sample_hour
  where series_id = s.id and bucket = ${hour}`;

/** The statements that count samples: of any range, and of one that begins and ends with an hour. */
export const sampleCounts = {
  samples: {
    name: 'timeseries-count-samples',
    text: counted('n', 'n', `(${samplesIn('$9', '$10')}) + (${samplesIn('$11', '$12')})`),
    parameters: 12,
  },
  wholeHours: {
    name: 'timeseries-count-samples-whole-hours',
    text: counted('n', 'n', '0'),
    parameters: 8,
  },
};

const buckets = ({ resolution, countColumn, countInMask }: BucketSize) => ({
  name: `timeseries-count-${resolution}`,
  text:
    countInMask === null
      ? counted('n60', '(mask <> 0)::int', '0')
      : counted(
          countColumn,
          countColumn,
          `(${minutesIn(countInMask, '$9', '$10')}) + (${minutesIn(countInMask, '$11', '$12')})`,
        ),
});

const none: Range = { startMs: 0, endMs: 0 };

/**
 * A user's series of the given types, or all, each with the exact number of its samples or non-empty buckets in a range
 * that is cut into pieces.
 */
export function countSeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
  pieces: RangePieces,
  size: BucketSize | null,
): Promise<CountedSeries[]> {
  if (size === null) {
    const { name, text } = sampleCounts[sampleCountOf(pieces)];
    return database.query<CountedSeries>({ name, text }, sampleValues(userId, typeIds, pieces));
  }
  const [first = none, last = none] = pieces.edges;
  const shared = sharedValues(userId, typeIds, pieces);
  if (size.countInMask === null) return database.query<CountedSeries>(buckets(size), shared);
  return database.query<CountedSeries>(buckets(size), [...shared, ...[first, last].flatMap(minutesOf)]);
}

/** Which statement counts the samples of a range. */
export function sampleCountOf({ edges }: RangePieces): keyof typeof sampleCounts {
  return edges.length === 0 ? 'wholeHours' : 'samples';
}

/** Its parameters. */
export function sampleValues(
  userId: string,
  typeIds: readonly number[] | null,
  pieces: RangePieces,
): unknown[] {
  const shared = sharedValues(userId, typeIds, pieces);
  if (sampleCountOf(pieces) === 'wholeHours') return shared;
  const [first = none, last = none] = pieces.edges;
  return [...shared, ...[first, last].flatMap(instants)];
}

function sharedValues(userId: string, typeIds: readonly number[] | null, { days, hours }: RangePieces) {
  const [early = none, late = none] = hours;
  return [userId, typeIds, ...[days ?? none, early, late].flatMap(instants)];
}

/** The hour of a piece, and the piece's minutes as a mask. */
function minutesOf({ startMs, endMs }: Range): [hour: string, minutes: string] {
  const hour = floorTo(startMs, hourMs);
  const first = BigInt(Math.floor((startMs - hour) / minuteMs));
  const length = BigInt((endMs - startMs) / minuteMs);
  return [isoTime(hour), String(((1n << length) - 1n) << first)];
}

function instants({ startMs, endMs }: Range): [string, string] {
  return [isoTime(startMs), isoTime(endMs)];
}
