import type { BucketFunction } from '../../../domain/records/series.ts';
import { seriesById } from '../../../domain/records/series.ts';
import type { IntervalReading } from '../intervals/interval-buckets.ts';
import { inOrder, readIntervals } from '../intervals/read-intervals.ts';
import type { SeriesRow } from '../queries/select-series.ts';
import { selectBuckets } from './queries/select-buckets.ts';
import { selectHours } from './queries/select-hours.ts';
import { type SampleRow, selectSamples } from './queries/select-samples.ts';
import type { BucketSize } from './resolutions.ts';
import type { ScanRange } from './scan-range.ts';

/** The aggregate function of each series. */
export type FunctionOf = (seriesId: number) => BucketFunction;

/** Whose series are read. */
export interface ScanContext extends IntervalReading {
  readonly series: ReadonlyMap<number, SeriesRow>;
}

/** The context of reading series. */
export function scanContext(reading: IntervalReading, series: readonly SeriesRow[]): ScanContext {
  return { ...reading, series: new Map(series.map((one) => [one.id, one])) };
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
  const plain = { ...scanRange, series: scanRange.series.filter((one) => !isInterval(one)) };
  const samples = await readSamples(context, plain, size, functionOf, most);
  if (cut.series.length === 0) return samples;
  const counted = await readIntervals(context, cut, (id) => typeIdOf(context, id), size, most);
  return inOrder([...samples, ...counted], scanRange).slice(0, most);
}

function readSamples(
  { database }: ScanContext,
  scanRange: ScanRange,
  size: BucketSize | null,
  functionOf: FunctionOf,
  most: number,
): Promise<SampleRow[]> {
  if (size === null) return selectSamples(database, scanRange, most);
  return selectBuckets(database, scanRange, size, functionOf, most);
}

function typeIdOf({ series }: ScanContext, id: number): number {
  const row = series.get(id);
  if (row === undefined) throw new Error('a series that was not asked for');
  return row.type_id;
}
