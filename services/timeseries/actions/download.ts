import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { sampleSource } from '../../../domain/records/recording-method.ts';
import { seriesById } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type BucketSize, bucketSizeOf, piecesOf, widen } from '../rules/resolutions.ts';
import { scanRangeOf } from '../rules/scan-range.ts';
import type { Settings } from '../rules/settings.ts';
import { countSeries } from '../tables/sample-pages.ts';
import { selectOwnSeries } from '../tables/series.ts';
import { readScanRange, scanContext } from './read-scan-range.ts';
import { typeIdsOf } from './samples.ts';

/** The series of a user with samples in [start, end), or with buckets in the range widened to whole buckets. */
export async function seriesInRange(
  database: Queryable,
  { shownAs }: Settings,
  request: ParamsOf<typeof timeseries, 'seriesInRange'>,
) {
  const size = bucketSizeOf(request.resolution);
  const pieces = piecesOf(rangeOf(request, size));
  const typeIds = typeIdsOf(request.types ?? undefined);
  const rows = await countSeries(database, request.user_id, typeIds, pieces, size);
  return rows
    .filter(({ n }) => n > 0)
    .map(({ id, type_id, provider, device }) => {
      const { type, unit } = seriesById(type_id);
      return { series_id: id, type, unit, ...sampleSource(shownAs(provider), device) };
    });
}

/** The next samples or buckets of one series after `after` (microseconds). `next` is null at the end. */
export async function readSeries(
  database: Queryable,
  { sourceOrder }: Settings,
  request: ParamsOf<typeof timeseries, 'readSeries'>,
) {
  const size = bucketSizeOf(request.resolution);
  const series = await selectOwnSeries(database, request.user_id, request.series_id);
  if (series === undefined) return { at: [], values: [], next: null };
  const { after } = request;
  const cursor = after === null ? null : { direction: 'next' as const, key: [after, series.id] as const };
  const scanRange = scanRangeOf([series.id], rangeOf(request, size), size?.widthMs ?? null, cursor);
  const most = Math.min(request.limit, mostOf(size));
  const reading = { database, userId: request.user_id, order: sourceOrder };
  const rows = await readScanRange(scanContext(reading, [series]), scanRange, size, most);
  return {
    at: rows.map(({ at }) => at),
    values: rows.map(({ value }) => value),
    next: rows.length < most ? null : (rows.at(-1)?.at ?? null),
  };
}

function rangeOf({ start_ms, end_ms }: { start_ms: number; end_ms: number }, size: BucketSize | null) {
  return widen({ startMs: start_ms, endMs: end_ms }, size);
}

/** Maximum number of samples that a call reads, also to compute buckets: about 0.2 s at one sample a second. */
const mostSamples = 500_000;

function mostOf(size: BucketSize | null): number {
  if (size === null || size.resolution === '1hour') return Number.POSITIVE_INFINITY;
  return Math.floor(mostSamples / (size.widthMs / 1000));
}
