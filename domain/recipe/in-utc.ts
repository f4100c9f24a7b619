import type { Draft, Point, SeriesValue, Sum } from './draft.ts';

/** The draft with all of its times moved. */
export function inUtc(draft: Draft, byMs: number): Draft {
  const { start_time, end_time, series, track } = draft;
  if (byMs === 0) return draft;
  return {
    ...draft,
    ...(start_time === undefined ? {} : { start_time: start_time + byMs }),
    ...(end_time === undefined ? {} : { end_time: end_time + byMs }),
    ...(series === undefined ? {} : { series: mapValues(series, (value) => moved(value, byMs)) }),
    ...(track === undefined ? {} : { track: { ...track, times: track.times.map((ms) => ms + byMs) } }),
  };
}

function mapValues<T extends object>(series: T, change: (value: SeriesValue) => SeriesValue): T {
  const all: [string, SeriesValue][] = Object.entries(series);
  return Object.assign({ ...series }, Object.fromEntries(all.map(([type, value]) => [type, change(value)])));
}

function moved(value: SeriesValue, byMs: number): SeriesValue {
  if (typeof value === 'number') return value;
  return isSums(value)
    ? value.map(([start, end, sum]) => [start + byMs, end + byMs, sum] as const)
    : value.map(([ms, one]) => [ms + byMs, one] as const);
}

const isSums = (value: readonly Point[] | readonly Sum[]): value is readonly Sum[] => value[0]?.length === 3;
