import { hourMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { piecesAt } from './interval-statistics.ts';
import { selectCountingHours } from './queries/select-counting-hours.ts';
import { type IntervalSeriesRow, selectIntervalSeries } from './queries/select-interval-series.ts';
import { selectOverlapping } from './queries/select-overlapping-intervals.ts';
import { ranksOf, type SourceOrder } from './ranks.ts';
import { nanosPerUnit, nanosWithin, type RankedInterval, type Segment, segmentsOf } from './segments.ts';
import { sourceOrders } from './source-orders.ts';

/** Whose intervals are read, and the configured order of sources. */
export interface IntervalReading {
  readonly database: Queryable;
  readonly userId: string;
  readonly order: SourceOrder;
}

/** What counts of a series in a bucket. */
export interface CountedBucket {
  readonly series_id: number;
  readonly startMs: number;
  readonly value: number;
}

/** Buckets of a width; they begin at multiples of it after the origin. */
export interface BucketGrid {
  readonly widthMs: number;
  readonly originMs: number;
}

/**
 * What counts of series in the buckets of a range. Only hours in which the series count are read, with the intervals of
 * all sources of their types there.
 */
export async function countedBuckets(
  reading: IntervalReading,
  series: readonly { readonly id: number; readonly type_id: number }[],
  range: Range,
  grid: BucketGrid,
): Promise<CountedBucket[]> {
  const ids = series.map(({ id }) => id);
  const hours = await selectCountingHours(reading.database, ids, range);
  const segments = await segmentsIn(reading, [...new Set(series.map(({ type_id }) => type_id))], hours);
  const wanted = new Set(ids);
  const buckets = new Map<string, SummedBucket>();
  for (const { interval, ...segment } of segments) {
    if (!wanted.has(interval.series_id)) continue;
    const within = {
      startMs: Math.max(segment.startMs, range.startMs),
      endMs: Math.min(segment.endMs, range.endMs),
    };
    for (const piece of piecesAt(within, grid.widthMs, grid.originMs)) addTo(buckets, interval, piece, grid);
  }
  return [...buckets.values()].map(({ nanos, ...bucket }) => ({ ...bucket, value: nanos / nanosPerUnit }));
}

interface SummedBucket extends Omit<CountedBucket, 'value'> {
  nanos: number;
}

function addTo(
  buckets: Map<string, SummedBucket>,
  interval: RankedInterval,
  { startMs, endMs }: Range,
  { widthMs, originMs }: BucketGrid,
): void {
  const { series_id } = interval;
  const start = Math.floor((startMs - originMs) / widthMs) * widthMs + originMs;
  const key = `${series_id} ${start}`;
  const bucket = buckets.get(key) ?? { series_id, startMs: start, nanos: 0 };
  bucket.nanos += nanosWithin(interval, startMs, endMs);
  buckets.set(key, bucket);
}

/** The segments of types in UTC hours, cut at the borders of runs of hours. */
async function segmentsIn(
  { database, userId, order }: IntervalReading,
  typeIds: readonly number[],
  hours: readonly number[],
): Promise<Segment<RankedInterval>[]> {
  const series = await selectIntervalSeries(database, userId, typeIds);
  const runs = runsOf(hours);
  const windows = runs.flatMap((run, window) =>
    series.map(({ id, longest_ms }) => ({
      ...{ window, seriesId: id, longestMs: Math.max(longest_ms, 1) },
      ...run,
    })),
  );
  const rows = await selectOverlapping(database, windows);
  const ranks = await ranksOfTypes(database, userId, series, order);
  const typeOf = new Map(series.map(({ id, type_id }) => [id, type_id]));
  const ranked = rows.map((row) => ({ ...row, rank: ranks.get(row.series_id) ?? 0 }));
  const cuts = Map.groupBy(ranked, ({ window, series_id }) => `${window} ${typeOf.get(series_id)}`);
  return [...cuts.values()].flatMap((own) => clipped(segmentsOf(own), runs[own[0]?.window ?? 0]));
}

function clipped(
  segments: readonly Segment<RankedInterval>[],
  run: Range | undefined,
): Segment<RankedInterval>[] {
  if (run === undefined) return [];
  return segments.flatMap(({ interval, startMs, endMs }) => {
    const clip = { startMs: Math.max(startMs, run.startMs), endMs: Math.min(endMs, run.endMs) };
    return clip.startMs < clip.endMs ? [{ interval, ...clip }] : [];
  });
}

/** Runs of hours without a gap. */
function runsOf(hours: readonly number[]): Range[] {
  const runs: { startMs: number; endMs: number }[] = [];
  for (const startMs of hours) {
    const last = runs.at(-1);
    if (last?.endMs === startMs) last.endMs = startMs + hourMs;
    else runs.push({ startMs, endMs: startMs + hourMs });
  }
  return runs;
}

async function ranksOfTypes(
  database: Queryable,
  userId: string,
  series: readonly IntervalSeriesRow[],
  configured: SourceOrder,
): Promise<ReadonlyMap<number, number>> {
  const orderOf = await sourceOrders(database, userId, configured);
  const types = Map.groupBy(series, ({ type_id }) => type_id);
  return new Map([...types].flatMap(([typeId, own]) => [...ranksOf(own, orderOf(typeId))]));
}
