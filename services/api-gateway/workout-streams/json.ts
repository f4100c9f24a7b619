import { formatInstant } from '../../../domain/time/time.ts';
import { type StreamType, streams } from '../../../domain/workouts/track.ts';
import type { Point, PointSource } from './read-points.ts';

/** The streams of a workout as JSON. */
export async function* jsonOf(
  { head, read }: PointSource,
  types: readonly StreamType[],
  resolutionSeconds: number | null,
): AsyncGenerator<string> {
  const fields = {
    workout_id: head.id,
    start_time: formatInstant(head.start_ms),
    resolution_seconds: resolutionSeconds,
    types,
    units: Object.fromEntries(types.map((type) => [type, streams[type].unit])),
  };
  yield `${JSON.stringify(fields).slice(0, -1)},"data":[`;
  let separator = '';
  for await (const points of read(types)) {
    yield separator + points.map((point) => textOf(point, types)).join(',');
    separator = ',';
  }
  yield ']}\n';
}

function textOf({ ms, values }: Point, types: readonly StreamType[]): string {
  let text = `{"timestamp":"${formatInstant(ms)}"`;
  for (const type of types) {
    const value = values[type] ?? null;
    text += `,"${type}":${type === 'moving' && value !== null ? value === 1 : value}`;
  }
  return `${text}}`;
}
