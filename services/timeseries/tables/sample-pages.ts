import type { Cursor, Direction } from '../../../domain/cursor.ts';
import { clockSources } from '../../../domain/time/clocks.ts';
import { hourMs, isoTime, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type BucketSize,
  floorTo,
  isoMicroseconds,
  outerBounds,
  piecesOf,
  type RangePieces,
  type SampleKey,
  type ScanRange,
} from '../rules/scan-range.ts';
import type { SeriesRow } from './series.ts';

/** A sample, or a bucket of one series. */
export interface SampleRow {
  series_id: number;
  /** Microseconds since 1970. */
  at: number;
  value: number;
}

// Each series is read from its own start and stops after a page: 0.5-1.4 ms for any range. `series_id = any (…) order
// by ts` reads the whole range first: 45-84 ms over a year. The common bounds ($4, $5) let the planner exclude chunks.
const startsStatement = (
  { name, table, time }: { readonly name: string; readonly table: string; readonly time: string },
  direction: Direction,
) => {
  const order = direction === 'next' ? 'asc' : 'desc';
  return {
    name: `timeseries-select-${name}-${direction}`,
    text: `
    select x.series_id, (extract(epoch from x.${time}) * 1000000)::float8 as at, x.value
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select series_id, ${time}, value from timeseries.${table}
      where series_id = s.id and ${time} >= s.first and ${time} < s.beyond and ${time} >= $4 and ${time} < $5
      order by ${time} ${order} limit $6
    ) x
    order by x.${time} ${order}, x.series_id ${order} limit $6`,
  };
};
const samples = { name: 'samples', table: 'sample', time: 'ts' };
const intervals = { name: 'interval-starts', table: 'interval_value', time: 'start_time' };
const startsStatements = {
  samples: { next: startsStatement(samples, 'next'), previous: startsStatement(samples, 'previous') },
  intervals: { next: startsStatement(intervals, 'next'), previous: startsStatement(intervals, 'previous') },
};

/** At most `most` samples of the range, or intervals that start in it, in reading order. */
export async function selectSamples(
  database: Queryable,
  scanRange: ScanRange,
  most: number,
  of: keyof typeof startsStatements = 'samples',
): Promise<SampleRow[]> {
  if (scanRange.series.length === 0) return [];
  const values = [...scanRangeColumns(scanRange), most];
  return database.query<SampleRow>(startsStatements[of][scanRange.direction], values);
}

/** The first five parameters of a query over a range: ids, starts, ends, and the outer bounds. */
export function scanRangeColumns(scanRange: ScanRange): unknown[] {
  const { first, end } = outerBounds(scanRange);
  return [
    scanRange.series.map(({ id }) => id),
    scanRange.series.map((part) => isoMicroseconds(part.first)),
    scanRange.series.map((part) => isoMicroseconds(part.end)),
    isoMicroseconds(first),
    isoMicroseconds(end),
  ];
}

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
const sampleCounts = {
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

const bucketCount = ({ resolution, countColumn, countInMask }: BucketSize) => ({
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
  if (size.countInMask === null) return database.query<CountedSeries>(bucketCount(size), shared);
  return database.query<CountedSeries>(bucketCount(size), [...shared, ...[first, last].flatMap(minutesOf)]);
}

/** Which statement counts the samples of a range. */
function sampleCountOf({ edges }: RangePieces): keyof typeof sampleCounts {
  return edges.length === 0 ? 'wholeHours' : 'samples';
}

/** Its parameters. */
function sampleValues(userId: string, typeIds: readonly number[] | null, pieces: RangePieces): unknown[] {
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

/** Whose samples are read, and from where. */
interface PageQuery {
  readonly userId: string;
  readonly typeIds: readonly number[];
  /** The range that is counted. */
  readonly range: Range;
  readonly cursor: Cursor<SampleKey> | null;
  /** The part of the range that is read, in microseconds. */
  readonly first: number;
  readonly end: number;
  readonly most: number;
}

/** The counted series, and the samples of those that are not of intervals, in reading order. */
interface CountedPage {
  readonly series: CountedSeries[];
  readonly rows: SampleRow[];
}

interface Columns {
  series: CountedSeries[] | null;
  ids: number[] | null;
  at: number[] | null;
  values: number[] | null;
}

// Counting and reading in one statement save a round trip, 0.1 ms of CPU of the process. The result is one row of four lists,
// which is parsed faster than a row per sample. As in scanRangeOf, items of the cursor's time are read from series after
// (backward: before) the cursor's series only.
function statementsOf(direction: Direction) {
  const order = direction === 'next' ? 'asc' : 'desc';
  return Object.fromEntries(
    Object.entries(sampleCounts).map(([key, { name, text, parameters }]) => {
      const at = (place: number) => `$${parameters + place}`;
      const [first, end, cursorSeries, rest, most] = [1, 2, 3, 4, 5].map(at);
      const bound =
        direction === 'next'
          ? `ts >= case when c.id > ${cursorSeries}::int8 then ${first}::timestamptz else ${rest}::timestamptz end`
          : `ts < case when c.id < ${cursorSeries}::int8 then ${end}::timestamptz else ${rest}::timestamptz end`;
      return [
        key,
        {
          name: `${name.replace('count', 'page')}-${direction}`,
          shared: true as const,
          text: `
  with counted as materialized (${text}),
  page as (
    select x.series_id, x.ts, x.value
    from counted c cross join lateral (
      select series_id, ts, value from timeseries.sample
      where series_id = c.id and ts >= ${first} and ts < ${end} and ${bound}
      order by ts ${order} limit ${most}
    ) x
    where c.n > 0 and not c.is_interval
    order by x.ts ${order}, x.series_id ${order} limit ${most}
  )
  select (select json_agg(c) from counted c) as series, json_agg(series_id) as ids,
    json_agg((extract(epoch from ts) * 1000000)::int8) as at, json_agg(value) as values
  from page`,
        },
      ];
    }),
  );
}

const pageStatements = { next: statementsOf('next'), previous: statementsOf('previous') };

/** Counts a user's series of the given types in a range, and reads at most `most` samples of a part of it. */
export async function selectPage(database: Queryable, query: PageQuery): Promise<CountedPage> {
  const { userId, typeIds, range, cursor, most } = query;
  const pieces = piecesOf(range);
  const statement = pageStatements[cursor?.direction ?? 'next'][sampleCountOf(pieces)];
  if (statement === undefined) throw new Error('no statement reads this page');
  const values = [...sampleValues(userId, typeIds, pieces), ...boundsOf(query), most];
  const [row] = await database.query<Columns>(statement, values);
  const rows = (row?.ids ?? []).map((series_id, place) => ({
    series_id,
    at: row?.at?.[place] ?? Number.NaN,
    value: row?.values?.[place] ?? Number.NaN,
  }));
  return { series: row?.series ?? [], rows };
}

// Ids of series begin with 1, so without a cursor all of them are after it.
function boundsOf({ cursor, first, end }: PageQuery): unknown[] {
  const within = (at: number) => Math.min(end, Math.max(first, at));
  const [at, series] = cursor?.key ?? [first - 1, 0];
  const [from, to, rest] =
    cursor?.direction === 'previous'
      ? [first, within(at + 1), within(at)]
      : [within(at), end, within(at + 1)];
  return [isoMicroseconds(from), isoMicroseconds(to), series, isoMicroseconds(rest)];
}

// Hours that are only partly in the range are not counted, because they may contain fewer buckets.
const boundNext = (column: string) => `
  select (extract(epoch from min(bucket) + interval '1 hour') * 1000000)::float8 as bound
  from (
    select bucket, sum(n) over (order by bucket) as upto
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select bucket, case when bucket >= s.first then ${column} else 0 end as n from timeseries.sample_hour
      where series_id = s.id and bucket > s.first - interval '1 hour' and bucket < s.beyond
        and bucket > $4::timestamptz - interval '1 hour' and bucket < $5
      order by bucket limit $6 + 1
    ) h
  ) x
  where upto >= $6`;

const boundPrevious = (column: string) => `
  select (extract(epoch from max(bucket)) * 1000000)::float8 as bound
  from (
    select bucket, sum(n) over (order by bucket desc) as upto
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select bucket, case when bucket + interval '1 hour' <= s.beyond then ${column} else 0 end as n
      from timeseries.sample_hour
      where series_id = s.id and bucket > s.first - interval '1 hour' and bucket < s.beyond
        and bucket > $4::timestamptz - interval '1 hour' and bucket < $5
      order by bucket desc limit $6 + 1
    ) h
  ) x
  where upto >= $6`;

/**
 * The instant in microseconds by which a page of `most` buckets is certainly full, from the hourly counts (0.4 ms).
 * Null if the whole range has fewer. Without it, a page of buckets would aggregate the whole range whenever the planner
 * cannot stop early (200 ms over a year).
 */
export async function selectPageBound(
  database: Queryable,
  scanRange: ScanRange,
  { resolution, countColumn }: BucketSize,
  most: number,
): Promise<number | null> {
  const text = scanRange.direction === 'next' ? boundNext(countColumn) : boundPrevious(countColumn);
  const name = `timeseries-select-page-bound-${resolution}-${scanRange.direction}`;
  const values = [...scanRangeColumns(scanRange), most];
  const [row] = await database.query<{ bound: number | null }>({ name, text }, values);
  return row?.bound ?? null;
}

// Keys of the page are looked up, so that pages without zones read no further column. Where no clock was known, the stored
// offset is 0 in place of an unknown one.
const zonesStatement = {
  name: 'timeseries-select-zones',
  text: `
    select case when abs(coalesce(x.placed_by, i.placed_by)) is distinct from ${clockSources.none}
      then coalesce(x.zone_offset_minutes, i.zone_offset_minutes) end as minutes
    from unnest($1::int[], $2::timestamptz[]) with ordinality k (series_id, ts, place)
    left join timeseries.sample x on x.series_id = k.series_id and x.ts = k.ts
    left join lateral (
      select min(zone_offset_minutes) as zone_offset_minutes, min(placed_by) as placed_by from timeseries.interval_value v
      where x.series_id is null and v.series_id = k.series_id and v.start_time = k.ts
    ) i on true
    order by k.place`,
};

/** The offsets of the local clock of samples and intervals, in their order; null where no clock is known. */
export async function selectZones(
  database: Queryable,
  rows: readonly SampleRow[],
): Promise<(number | null)[]> {
  if (rows.length === 0) return [];
  const keys = [rows.map(({ series_id }) => series_id), rows.map(({ at }) => isoMicroseconds(at))];
  const zones = await database.query<{ minutes: number | null }>(zonesStatement, keys);
  return rows.map((_, place) => zones[place]?.minutes ?? null);
}
