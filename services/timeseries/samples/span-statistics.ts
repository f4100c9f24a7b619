import { hourMs, type Range } from '../../../domain/time/time.ts';
import { countedBuckets, type IntervalReading } from '../intervals/interval-buckets.ts';
import { selectIntervalStatistics } from '../intervals/queries/select-interval-statistics.ts';
import { type SpanStatistics, selectSpanStatistics } from './queries/select-span-statistics.ts';
import { piecesOf } from './range-pieces.ts';

/** The series of the given types with data in a range, with their statistics there, ordered by type and source. */
export async function spanStatistics(
  reading: IntervalReading,
  typeIds: readonly number[],
  range: Range,
): Promise<SpanStatistics[]> {
  const { database, userId } = reading;
  const pieces = piecesOf(range);
  const [samples, intervals] = await Promise.all([
    selectSpanStatistics(database, userId, typeIds, range, pieces),
    selectIntervalStatistics(database, userId, typeIds, range),
  ]);
  if (intervals.length === 0) return samples;
  const counted = await withEdges(reading, intervals, pieces.edges);
  return [...samples, ...counted].toSorted(
    (a, b) => a.type_id - b.type_id || byText(a.provider, b.provider) || byText(a.device, b.device),
  );
}

/** Adds what counts in the parts of hours at the edges of the range. */
async function withEdges(
  reading: IntervalReading,
  series: readonly SpanStatistics[],
  edges: readonly Range[],
): Promise<SpanStatistics[]> {
  const grid = { widthMs: hourMs, originMs: 0 };
  const parts = await Promise.all(edges.map((edge) => countedBuckets(reading, series, edge, grid)));
  const sums = new Map<number, number>();
  for (const { series_id, value } of parts.flat()) sums.set(series_id, (sums.get(series_id) ?? 0) + value);
  return series.map((one) => ({ ...one, sum: one.sum + (sums.get(one.id) ?? 0) }));
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
