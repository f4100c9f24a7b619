import { seriesById } from '../../../domain/records/series.ts';
import type { BucketSize } from '../rules/resolutions.ts';
import { bounded, outerBounds, type ScanRange } from '../rules/scan-range.ts';
import { selectIntervalStarts } from '../tables/interval-values.ts';
import { selectBuckets, selectHours } from '../tables/sample-buckets.ts';
import { type SampleRow, selectPageBound, selectSamples } from '../tables/sample-pages.ts';
import type { SeriesRow } from '../tables/series.ts';
import { countedBuckets, type IntervalReading } from './interval-buckets.ts';

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
      ? await selectIntervalStarts(context.database, cut, most)
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
