import type { OverviewResolution } from '../../../contracts/timeseries/overview.ts';
import { validationFailed } from '../../../domain/errors.ts';
import { dayMs, hourMs, type Range } from '../../../domain/time.ts';
import type { SpanStatistics } from './queries/select-span-statistics.ts';

/** Buckets of whole hours that are made of the hourly statistics. */
export interface SpanSize {
  readonly widthMs: number;
  readonly originMs: number;
}

const monday = Date.UTC(1970, 0, 5);
const spans: Partial<Record<OverviewResolution, SpanSize>> = {
  '1hour': { widthMs: hourMs, originMs: 0 },
  '1day': { widthMs: dayMs, originMs: 0 },
  '1week': { widthMs: 7 * dayMs, originMs: monday },
  '4weeks': { widthMs: 28 * dayMs, originMs: monday },
};

/** The buckets of a resolution; null below 1hour. */
export function spanSizeOf(resolution: OverviewResolution): SpanSize | null {
  return spans[resolution] ?? null;
}

/** Widens a range to whole buckets. */
export function widenToSpans({ startMs, endMs }: Range, { widthMs, originMs }: SpanSize): Range {
  const floor = (ms: number) => Math.floor((ms - originMs) / widthMs) * widthMs + originMs;
  return { startMs: floor(startMs), endMs: floor(endMs - 1) + widthMs };
}

type Counts = readonly (readonly [OverviewResolution, number])[];

/** The number of values of a range at each resolution, finest first; an upper bound for buckets. */
function countsOf(statistics: readonly SpanStatistics[], range: Range): Counts {
  const total = (countOf: (series: SpanStatistics) => number) =>
    statistics.reduce((sum, series) => sum + countOf(series), 0);
  const inSpans = (size: SpanSize) => {
    const { startMs, endMs } = widenToSpans(range, size);
    const most = (endMs - startMs) / size.widthMs;
    return total(({ n60 }) => Math.min(n60, most));
  };
  const fine: Counts = [
    ['raw', total(({ n }) => n)],
    ['1min', total(({ n1 }) => n1)],
    ['5min', total(({ n5 }) => n5)],
    ['15min', total(({ n15 }) => n15)],
    ['1hour', total(({ n60 }) => n60)],
  ];
  const coarse = (['1day', '1week', '4weeks'] as const).map((resolution) => {
    const size = spanSizeOf(resolution);
    return [resolution, size === null ? 0 : inSpans(size)] as const;
  });
  return [...fine, ...coarse];
}

/** How many values an overview should and may have. */
export interface Bounds {
  readonly target: number;
  readonly most: number;
}

/**
 * The given resolution, or the finest one that fits. @throws VALIDATION_FAILED (422) naming the finest resolution that is
 * possible, if the given one has too many values
 */
export function resolutionFor(
  statistics: readonly SpanStatistics[],
  range: Range,
  given: OverviewResolution | null,
  { target, most }: Bounds,
): OverviewResolution {
  const counts = countsOf(statistics, range);
  const finestWithin = (bound: number) => counts.find(([, count]) => count <= bound)?.[0];
  const possible = finestWithin(most);
  if (possible === undefined)
    throw tooMany('types', `must be fewer, or the range shorter`, counts.at(-1), most);
  const wanted = given ?? finestWithin(target) ?? '4weeks';
  const count = counts.find(([resolution]) => resolution === wanted);
  if ((count?.[1] ?? 0) <= most) return wanted;
  throw tooMany('resolution', `must be ${possible} or coarser for this range and these types`, count, most);
}

function tooMany(field: string, must: string, count: Counts[number] | undefined, most: number) {
  const [resolution, values] = count ?? ['raw', 0];
  const message = `${must}: at ${resolution} there are ${values} values, and an answer has at most ${most}`;
  return validationFailed([{ field, message }]);
}
