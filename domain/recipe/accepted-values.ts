import { accepts, isSeriesType, type SeriesType } from '../records/series.ts';
import { type Draft, isSum, type Point, type SeriesValue, type Sum } from './draft.ts';

/** A draft without the values of its series that the store refuses. They are counted as skipped, by reason. */
export function withAcceptedValues(draft: Draft): Draft {
  if (draft.series === undefined) return draft;
  const skipped: Record<string, number> = { ...draft.skipped };
  const isKept = (reason: string | null): boolean => {
    if (reason !== null) skipped[reason] = (skipped[reason] ?? 0) + 1;
    return reason === null;
  };
  const kept = Object.entries(draft.series).flatMap(([type, value]): [string, SeriesValue][] => {
    if (!isSeriesType(type)) return [];
    if (typeof value === 'number') return isKept(refusalOf(type, value)) ? [[type, value]] : [];
    return [[type, value.filter((one) => isKept(refusalOfOne(type, one)))]];
  });
  return { ...draft, series: Object.fromEntries(kept), skipped };
}

const refusalOf = (type: SeriesType, value: number): string | null =>
  accepts(type, value) ? null : 'value_out_of_range';

// An interval may be of an instant, such as a glass of water, but does not end before it begins.
function refusalOfOne(type: SeriesType, one: Point | Sum): string | null {
  if (!isSum(one)) return refusalOf(type, one[1]);
  const [startMs, endMs, value] = one;
  return endMs < startMs ? 'time_out_of_range' : refusalOf(type, value);
}
