import type { StreamType, Track } from '../workouts/track.ts';

/** Accepted values of streams by their times. */
export type StreamPoints = Map<StreamType, ReadonlyMap<number, number>>;

/** The track of streams with times of their own, on one axis. Null: there is no value. */
export function trackOf(columns: StreamPoints): Track | null {
  const used = [...columns].filter(([, values]) => values.size > 0);
  const times = [...new Set(used.flatMap(([, values]) => [...values.keys()]))].sort((a, b) => a - b);
  if (times.length === 0) return null;
  const column = (values: ReadonlyMap<number, number>) =>
    Float64Array.from(times, (ms) => values.get(ms) ?? Number.NaN);
  return { times, columns: new Map(used.map(([type, values]) => [type, column(values)])) };
}
