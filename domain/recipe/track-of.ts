import { acceptsStream, type StreamType, type Track } from '../workouts/track.ts';

/** Accepted values of streams by their times. */
export type StreamPoints = Map<StreamType, ReadonlyMap<number, number>>;

/** Streams that are collected value by value. What a stream does not accept is left out. */
export interface StreamColumns {
  readonly columns: StreamPoints;
  put(stream: StreamType, ms: number, value: number | null): void;
}

/** Empty streams. */
export function streamColumns(): StreamColumns {
  const columns = new Map<StreamType, Map<number, number>>();
  return {
    columns,
    put(stream, ms, value) {
      if (!acceptsStream(stream, value)) return;
      const column = columns.get(stream) ?? new Map<number, number>();
      columns.set(stream, column.set(ms, value));
    },
  };
}

/** The track of streams with times of their own, on one axis. Null: there is no value. */
export function trackOf(columns: StreamPoints): Track | null {
  const used = [...columns].filter(([, values]) => values.size > 0);
  const times = [...new Set(used.flatMap(([, values]) => [...values.keys()]))].sort((a, b) => a - b);
  if (times.length === 0) return null;
  const column = (values: ReadonlyMap<number, number>) =>
    Float64Array.from(times, (ms) => values.get(ms) ?? Number.NaN);
  return { times, columns: new Map(used.map(([type, values]) => [type, column(values)])) };
}
