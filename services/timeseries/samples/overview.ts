import {
  longestOverviewDays,
  type OverviewResolution,
  type SeriesOverview,
} from '../../../contracts/timeseries/overview.ts';
import { validationFailed } from '../../../domain/errors.ts';
import type { SeriesType } from '../../../domain/series.ts';
import { seriesById } from '../../../domain/series.ts';
import { dayMs, formatInstant, type Range } from '../../../domain/time.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Settings } from '../settings.ts';
import { resolutionFor, spanSizeOf, widenToSpans } from './overview-resolution.ts';
import { type SpanStatistics, selectSpanStatistics } from './queries/select-span-statistics.ts';
import { selectSpans } from './queries/select-spans.ts';
import { piecesOf } from './range-pieces.ts';
import { readScanRange } from './read-scan-range.ts';
import { bucketSizeOf, widen } from './resolutions.ts';
import { typeIdsOf } from './samples.ts';
import { scanRangeOf } from './scan-range.ts';

interface OverviewQuery {
  readonly user_id: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly types: readonly SeriesType[];
  readonly resolution: OverviewResolution | null;
  readonly target: number;
  readonly most: number;
}

/** A sample or bucket; only buckets of whole hours have bounds. */
interface Row {
  readonly series_id: number;
  readonly at: number;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

interface OverviewDeps {
  readonly database: Queryable;
  readonly settings: Settings;
  readonly call: Call;
}

/**
 * The series of a range, whole, at the given resolution or the finest that fits.
 * @throws VALIDATION_FAILED (422), USER_NOT_FOUND (404)
 */
export async function readOverview({ database, settings, call }: OverviewDeps, query: OverviewQuery) {
  const range = rangeOf(query);
  const statistics = await selectSpanStatistics(
    ...([database, query.user_id, typeIdsOf(query.types) ?? [], range, piecesOf(range)] as const),
  );
  if (statistics.length === 0) await call('users.get', { user_id: query.user_id });
  const resolution = resolutionFor(statistics, range, query.resolution, query);
  const shown = widened(range, resolution);
  const rows = statistics.length === 0 ? [] : await readRows(database, statistics, shown, resolution);
  const bySeries = Map.groupBy(rows, ({ series_id }) => series_id);
  return {
    resolution,
    start_time: formatInstant(shown.startMs),
    end_time: formatInstant(shown.endMs),
    series: statistics.map((one) => toWire(one, bySeries.get(one.id) ?? [], settings, resolution)),
  };
}

function rangeOf({ start_ms: startMs, end_ms: endMs }: OverviewQuery): Range {
  if (endMs - startMs <= longestOverviewDays * dayMs) return { startMs, endMs };
  const message = `must be at most ${longestOverviewDays} days after the start`;
  throw validationFailed([{ field: 'end_time', message }]);
}

function widened(range: Range, resolution: OverviewResolution): Range {
  const size = spanSizeOf(resolution);
  return size === null ? widen(range, fineSizeOf(resolution)) : widenToSpans(range, size);
}

function fineSizeOf(resolution: OverviewResolution) {
  return resolution === '1day' || resolution === '1week' || resolution === '4weeks'
    ? null
    : bucketSizeOf(resolution);
}

// The number of values was bounded when the resolution was chosen. The bound here is for samples that are stored meanwhile.
const mostRows = 4000;

function readRows(
  database: Queryable,
  statistics: readonly SpanStatistics[],
  range: Range,
  resolution: OverviewResolution,
): Promise<readonly Row[]> {
  const ids = statistics.map(({ id }) => id);
  const functions = new Map(statistics.map(({ id, type_id }) => [id, seriesById(type_id).bucket]));
  const functionOf = (id: number) => functions.get(id) ?? 'mean';
  const size = spanSizeOf(resolution);
  if (size !== null) return selectSpans(database, ids, functionOf, range, size, mostRows);
  const fine = fineSizeOf(resolution);
  const scanRange = scanRangeOf(ids, range, fine?.widthMs ?? null, null);
  return readScanRange(database, scanRange, fine, functionOf, mostRows);
}

function toWire(
  series: SpanStatistics,
  rows: readonly Row[],
  { shownAs }: Settings,
  resolution: OverviewResolution,
): SeriesOverview {
  const { type, unit, bucket } = seriesById(series.type_id);
  const hasBounds = spanSizeOf(resolution) !== null && (bucket === 'mean' || bucket === 'leq');
  return {
    ...{ type, unit, aggregate: bucket },
    source: { provider: shownAs(series.provider), device: series.device },
    ...{ samples: series.n, value: aggregateOf(series), min: series.min, max: series.max },
    at: rows.map(({ at }) => at),
    values: rows.map(({ value }) => value),
    lows: hasBounds ? rows.map(({ low, value }) => low ?? value) : null,
    highs: hasBounds ? rows.map(({ high, value }) => high ?? value) : null,
  };
}

function aggregateOf({ type_id, n, sum, energy, last }: SpanStatistics): number {
  const { bucket } = seriesById(type_id);
  const values = { sum, mean: sum / n, leq: 10 * Math.log10((energy ?? 0) / n), last };
  return values[bucket];
}
