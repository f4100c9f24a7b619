import type { LapRecord } from '../workouts/details.ts';
import { type Draft, isSum, type SeriesValue } from './draft.ts';

/** The draft with all of its times moved. */
export function inUtc(draft: Draft, byMs: number): Draft {
  const { start_time, end_time, series, track, laps } = draft;
  if (byMs === 0) return draft;
  return {
    ...draft,
    ...(start_time === undefined ? {} : { start_time: start_time + byMs }),
    ...(end_time === undefined ? {} : { end_time: end_time + byMs }),
    ...(series === undefined ? {} : { series: mapValues(series, (value) => moved(value, byMs)) }),
    ...(laps == null ? {} : { laps: laps.map((lap) => lapMoved(lap, byMs)) }),
    ...(track === undefined ? {} : { track: { ...track, times: track.times.map((ms) => ms + byMs) } }),
  };
}

const lapMoved = (lap: LapRecord, byMs: number): LapRecord => ({
  ...lap,
  start_ms: lap.start_ms + byMs,
  end_ms: lap.end_ms === null ? null : lap.end_ms + byMs,
});

function mapValues<T extends object>(series: T, change: (value: SeriesValue) => SeriesValue): T {
  const all: [string, SeriesValue][] = Object.entries(series);
  return Object.assign({ ...series }, Object.fromEntries(all.map(([type, value]) => [type, change(value)])));
}

function moved(value: SeriesValue, byMs: number): SeriesValue {
  if (typeof value === 'number') return value;
  return value.map((one) =>
    isSum(one) ? ([one[0] + byMs, one[1] + byMs, one[2]] as const) : ([one[0] + byMs, one[1]] as const),
  );
}
