import type { BucketFunction } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { selectBuckets } from './queries/select-buckets.ts';
import { selectHours } from './queries/select-hours.ts';
import { type SampleRow, selectSamples } from './queries/select-samples.ts';
import type { BucketSize } from './resolutions.ts';
import type { ScanRange } from './scan-range.ts';

/** The aggregate function of each series. */
export type FunctionOf = (seriesId: number) => BucketFunction;

/** At most `most` samples (`size` is null) or buckets of a range, in reading order. */
export function readScanRange(
  database: Queryable,
  scanRange: ScanRange,
  size: BucketSize | null,
  functionOf: FunctionOf,
  most: number,
): Promise<SampleRow[]> {
  if (size === null) return selectSamples(database, scanRange, most);
  if (size.resolution === '1hour') return selectHours(database, scanRange, functionOf, most);
  return selectBuckets(database, scanRange, size, functionOf, most);
}
