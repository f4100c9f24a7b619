import { selectPageBound } from '../samples/queries/select-page-bound.ts';
import type { SampleRow } from '../samples/queries/select-samples.ts';
import type { BucketSize } from '../samples/resolutions.ts';
import { bounded, outerBounds, type ScanRange } from '../samples/scan-range.ts';
import { countedBuckets, type IntervalReading } from './interval-buckets.ts';
import { selectIntervalStarts } from './queries/select-interval-starts.ts';

/** At most `most` intervals (`size` is null), or buckets below an hour of what counts of them, in reading order. */
export function readIntervals(
  reading: IntervalReading,
  scanRange: ScanRange,
  typeIdOf: (seriesId: number) => number,
  size: BucketSize | null,
  most: number,
): Promise<SampleRow[]> {
  if (size === null) return selectIntervalStarts(reading.database, scanRange, most);
  return readBuckets(reading, scanRange, typeIdOf, size, most);
}

async function readBuckets(
  reading: IntervalReading,
  scanRange: ScanRange,
  typeIdOf: (seriesId: number) => number,
  size: BucketSize,
  most: number,
): Promise<SampleRow[]> {
  const bound = await selectPageBound(reading.database, scanRange, size, most);
  const near = bounded(scanRange, bound);
  if (near.series.length === 0) return [];
  const { first, end } = outerBounds(near);
  const range = { startMs: first / 1000, endMs: end / 1000 };
  const series = near.series.map(({ id }) => ({ id, type_id: typeIdOf(id) }));
  const grid = { widthMs: size.widthMs, originMs: 0 };
  const partOf = new Map(near.series.map((one) => [one.id, one]));
  const rows = (await countedBuckets(reading, series, range, grid))
    .map(({ series_id, startMs, value }) => ({ series_id, at: startMs * 1000, value }))
    .filter(({ series_id, at }) => {
      const part = partOf.get(series_id);
      return part !== undefined && at >= part.first && at < part.end;
    });
  return inOrder(rows, scanRange).slice(0, most);
}

/** Rows in reading order. */
export function inOrder(rows: readonly SampleRow[], { direction }: ScanRange): SampleRow[] {
  const sign = direction === 'next' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (a.at - b.at || a.series_id - b.series_id));
}
