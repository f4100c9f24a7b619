import { seriesById } from '../../../domain/records/series.ts';
import { hourMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type BucketSize, bounded, outerBounds, type ScanRange } from '../rules/scan-range.ts';
import {
  nanosPerUnit,
  nanosWithin,
  type RankedInterval,
  type Segment,
  segmentsOf,
} from '../rules/segments.ts';
import { rankSources, type SourceOrder } from '../rules/sources.ts';
import { selectIntervalSeries } from '../tables/interval-series.ts';
import { selectCountingHours } from '../tables/interval-statistics.ts';
import { selectOverlapping } from '../tables/interval-values.ts';
import { selectBuckets, selectHours } from '../tables/sample-buckets.ts';
import { type SampleRow, selectPageBound, selectSamples } from '../tables/sample-pages.ts';
import type { SeriesRow } from '../tables/series.ts';
import { sourceOrders } from '../work/interval-statistics.ts';

/** Whose series are read. */
interface ScanContext extends IntervalReading {
  readonly series: ReadonlyMap<number, SeriesRow>;
}

/** The context of reading series. */
export function scanContext(reading: IntervalReading, series: readonly SeriesRow[]): ScanContext {
  return { ...reading, series: new Map(series.map((row) => [row.id, row])) };
}

/** At most `most` samples (`size` is null) or buckets of a range, in reading order. */
export async function readScanRange(
  context: ScanContext,
  scanRange: ScanRange,
  size: BucketSize | null,
  most: number,
): Promise<SampleRow[]> {
  const functionOf = (id: number) => seriesById(typeIdOf(context, id)).bucket;
  if (size?.resolution === '1hour') return selectHours(context.database, scanRange, functionOf, most);
  const isInterval = ({ id }: { id: number }) => context.series.get(id)?.is_interval === true;
  const cut = { ...scanRange, series: scanRange.series.filter(isInterval) };
  const plain = { ...scanRange, series: scanRange.series.filter((part) => !isInterval(part)) };
  const samples =
    size === null
      ? await selectSamples(context.database, plain, most)
      : await selectBuckets(context.database, plain, size, functionOf, most);
  if (cut.series.length === 0) return samples;
  const intervals =
    size === null
      ? await selectSamples(context.database, cut, most, 'intervals')
      : await readBuckets(context, cut, size, most);
  return inOrder([...samples, ...intervals], scanRange).slice(0, most);
}

function typeIdOf({ series }: ScanContext, id: number): number {
  const row = series.get(id);
  if (row === undefined) throw new Error('a series that was not asked for');
  return row.type_id;
}

/** At most `most` buckets below an hour of what counts of intervals, in reading order. */
async function readBuckets(
  context: ScanContext,
  scanRange: ScanRange,
  size: BucketSize,
  most: number,
): Promise<SampleRow[]> {
  const bound = await selectPageBound(context.database, scanRange, size, most);
  const near = bounded(scanRange, bound);
  if (near.series.length === 0) return [];
  const { first, end } = outerBounds(near);
  const range = { startMs: first / 1000, endMs: end / 1000 };
  const series = near.series.map(({ id }) => ({ id, type_id: typeIdOf(context, id) }));
  const grid = { widthMs: size.widthMs, originMs: 0 };
  const partOf = new Map(near.series.map((part) => [part.id, part]));
  const rows = (await countedBuckets(context, series, range, grid))
    .map(({ series_id, startMs, value }) => ({ series_id, at: startMs * 1000, value }))
    .filter(({ series_id, at }) => {
      const part = partOf.get(series_id);
      return part !== undefined && at >= part.first && at < part.end;
    });
  return inOrder(rows, scanRange).slice(0, most);
}

/** Rows in reading order. */
function inOrder(rows: readonly SampleRow[], { direction }: ScanRange): SampleRow[] {
  const sign = direction === 'next' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (a.at - b.at || a.series_id - b.series_id));
}

/** Whose intervals are read, and the configured order of sources. */
export interface IntervalReading {
  readonly database: Queryable;
  readonly userId: string;
  readonly order: SourceOrder;
}

/** What counts of a series in a bucket. */
interface CountedBucket {
  readonly series_id: number;
  readonly startMs: number;
  /** The number of intervals that begin in the bucket. */
  readonly n: number;
  readonly value: number;
}

/** Buckets of a width; they begin at multiples of it after the origin. */
interface BucketGrid {
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
  const typeIds = [...new Set(series.map(({ type_id }) => type_id))];
  const { segments, starts } = await segmentsIn(reading, typeIds, hours);
  const wanted = new Set(ids);
  const buckets = new Map<string, SummedBucket>();
  for (const { interval, ...segment } of segments) {
    if (!wanted.has(interval.series_id)) continue;
    const endMs = Math.min(segment.endMs, range.endMs);
    for (let from = Math.max(segment.startMs, range.startMs); from < endMs; ) {
      const bucket = bucketAt(buckets, interval.series_id, bucketStart(from, grid));
      const to = Math.min(endMs, bucket.startMs + grid.widthMs);
      bucket.nanos += nanosWithin(interval, from, to);
      from = to;
    }
  }
  for (const { series_id, start_ms } of starts) {
    if (start_ms < range.startMs || start_ms >= range.endMs) continue;
    const bucket = buckets.get(keyOf(series_id, bucketStart(start_ms, grid)));
    if (bucket !== undefined) bucket.n += 1;
  }
  return [...buckets.values()].map(({ nanos, ...bucket }) => ({ ...bucket, value: nanos / nanosPerUnit }));
}

interface SummedBucket extends Omit<CountedBucket, 'value' | 'n'> {
  n: number;
  nanos: number;
}

const keyOf = (seriesId: number, startMs: number) => `${seriesId} ${startMs}`;
const bucketStart = (ms: number, { widthMs, originMs }: BucketGrid) =>
  Math.floor((ms - originMs) / widthMs) * widthMs + originMs;

function bucketAt(buckets: Map<string, SummedBucket>, series_id: number, startMs: number): SummedBucket {
  const key = keyOf(series_id, startMs);
  const bucket = buckets.get(key) ?? { series_id, startMs, n: 0, nanos: 0 };
  buckets.set(key, bucket);
  return bucket;
}

/** The segments of types in UTC hours, cut at the borders of runs of hours, and the intervals that begin in these hours. */
async function segmentsIn(
  { database, userId, order }: IntervalReading,
  typeIds: readonly number[],
  hours: readonly number[],
): Promise<{ readonly segments: Segment<RankedInterval>[]; readonly starts: readonly RankedInterval[] }> {
  const series = await selectIntervalSeries(database, userId, typeIds);
  const runs = runsOf(hours);
  const windows = runs.map((range) => ({ series, range }));
  const rows = await selectOverlapping(database, windows);
  const orderOf = await sourceOrders(database, userId, order);
  const typeOf = new Map(series.map(({ id, type_id }) => [id, type_id]));
  const byType = Map.groupBy(rows, ({ series_id }) => typeOf.get(series_id) ?? 0);
  const ranked = [...byType].flatMap(([typeId, own]) => {
    const ofType = series.filter(({ type_id }) => type_id === typeId);
    const rankOf = rankSources(ofType, orderOf(typeId));
    return own.map((row) => rankOf(row));
  });
  const cuts = Map.groupBy(ranked, ({ window, series_id }) => `${window} ${typeOf.get(series_id)}`);
  const runOf = (window = 0) => runs[window] ?? { startMs: 0, endMs: 0 };
  return {
    segments: [...cuts.values()].flatMap((own) => clipped(segmentsOf(own), runOf(own[0]?.window))),
    // An interval that reaches into several runs begins in one of them.
    starts: ranked.filter(
      ({ window, start_ms }) => start_ms >= runOf(window).startMs && start_ms < runOf(window).endMs,
    ),
  };
}

function clipped(segments: readonly Segment<RankedInterval>[], run: Range): Segment<RankedInterval>[] {
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
