import { z } from 'zod';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { sampleSource } from '../../../domain/records/recording-method.ts';
import { StageSpan } from '../../../domain/records/records.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type BucketSize, bucketSizeOf, piecesOf, scanRangeOf, widen } from '../rules/scan-range.ts';
import type { Settings } from '../rules/sources.ts';
import { selectExportRecords } from '../tables/export.ts';
import { countSeries } from '../tables/sample-pages.ts';
import { type SeriesRow, selectOwnSeries, selectSeries } from '../tables/series.ts';
import { selectDetails } from '../tables/tracks.ts';
import { intervalsToWire } from './events.ts';
import { readScanRange, scanContext } from './read-scan-range.ts';
import { typeIdsOf } from './samples.ts';
import { extrasToWire } from './workouts.ts';

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
  return rows.filter(({ n }) => n > 0).map((row) => seriesToWire(row, shownAs));
}

function seriesToWire({ id, type_id, provider, device }: SeriesRow, shownAs: Settings['shownAs']) {
  const { type, unit } = seriesById(type_id);
  return { series_id: id, type, unit, ...sampleSource(shownAs(provider), device) };
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

/**
 * The next records of a kind as an export returns them: all columns that may be exported, with times as on the wire.
 */
export async function exportRecords(
  database: Queryable,
  { shownAs }: Settings,
  query: ParamsOf<typeof timeseries, 'exportRecords'>,
) {
  const rows = await selectExportRecords(database, query.user_id, query.kind, query.after, query.limit);
  const last = rows.length < query.limit ? undefined : rows.at(-1);
  const extras = query.kind === 'workout' ? await selectDetails(database, query.user_id, rows) : null;
  return {
    records: rows.map(({ id, record }) => ({
      ...withStages(recordToWire(record, shownAs)),
      ...(extras === null ? {} : extrasToWire(extras.get(id))),
    })),
    next: last === undefined ? null : { start_time: last.start_time, id: last.id },
  };
}

/** The series of a user, ordered by id. */
export async function exportSeries(database: Queryable, { shownAs }: Settings, userId: string) {
  const rows = await selectSeries(database, userId, null);
  return rows.toSorted((a, b) => a.id - b.id).map((row) => seriesToWire(row, shownAs));
}

/** With the stage intervals of a sleep as their route returns them. */
function withStages(record: Record<string, unknown>): Record<string, unknown> {
  const { stage_intervals: spans, start_time } = record;
  if (!Array.isArray(spans)) return record;
  const startMs = Date.parse(String(start_time));
  return { ...record, stage_intervals: intervalsToWire(z.array(StageSpan).parse(spans), startMs) };
}

function recordToWire(
  record: Record<string, unknown>,
  shownAs: Settings['shownAs'],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, valueToWire(name, value, shownAs)]),
  );
}

function valueToWire(name: string, value: unknown, shownAs: Settings['shownAs']): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'provider') return shownAs(value);
  return /_(time|at)$/.test(name) ? formatInstant(Date.parse(value)) : value;
}
