import type { BucketFunction } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { selectBuckets } from './queries/select-buckets.ts';
import { selectHours } from './queries/select-hours.ts';
import { type SampleRow, selectSamples } from './queries/select-samples.ts';
import type { BucketSize } from './resolutions.ts';
import type { ScanRange } from './scan-range.ts';

/** How each series makes one value of a bucket. */
export type FunctionOf = (seriesId: number) => BucketFunction;

/** At most `most` samples (where `size` is null) or buckets of a reach, in the order in which they are read. */
export function readScanRange(
  database: Queryable,
  reach: ScanRange,
  size: BucketSize | null,
  functionOf: FunctionOf,
  most: number,
): Promise<SampleRow[]> {
  if (size === null) return selectSamples(database, reach, most);
  if (size.resolution === '1hour') return selectHours(database, reach, functionOf, most);
  return selectBuckets(database, reach, size, functionOf, most);
}
