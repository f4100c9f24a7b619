import { z } from 'zod';
import type { SampleBlock, WorkoutRecord } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import { dayMs } from '../../../domain/time/time.ts';

/** The streams that become samples. The provider's units equal ours. Cadence counts one foot. */
const table: readonly (readonly [stream: string, type: SeriesType])[] = [
  ['heartrate', 'heart_rate'],
  ['cadence', 'cadence'],
  ['watts', 'power'],
  ['velocity_smooth', 'speed'],
  ['temp', 'weather_temperature'],
];

const Stream = z.object({ data: z.array(z.unknown()) });
const Streams = z.record(z.string(), z.unknown());
const longestSeconds = 31 * 86_400;

type Clock = Pick<WorkoutRecord, 'start_ms' | 'device' | 'zone_offset_minutes'>;

/**
 * Samples of an activity's streams, which are parallel arrays. Entries without a time or a value, and values out of
 * range, are left out. Of two values for one second the later one is kept.
 */
export function streamSamples(streams: unknown, workout: Clock, nowMs: number): SampleBlock[] {
  const given = Streams.safeParse(streams).data ?? {};
  const times = dataOf(given.time);
  const latest = Math.min(longestSeconds, (nowMs + dayMs - workout.start_ms) / 1000);
  return table.flatMap(([stream, type]) => {
    const values = dataOf(given[stream]);
    const byMs = new Map<number, number>();
    for (const [index, second] of times.entries()) {
      const value = values[index];
      if (isSecond(second, latest) && accepts(type, value)) byMs.set(Math.round(second * 1000), value);
    }
    return byMs.size === 0 ? [] : [blockOf(type, byMs, workout)];
  });
}

function dataOf(stream: unknown): readonly unknown[] {
  return Stream.safeParse(stream).data?.data ?? [];
}

function isSecond(value: unknown, latest: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= latest;
}

function blockOf(type: SeriesType, byMs: ReadonlyMap<number, number>, workout: Clock): SampleBlock {
  const sorted = [...byMs].sort(([a], [b]) => a - b);
  return {
    type,
    device: workout.device,
    zone_offset_minutes: workout.zone_offset_minutes,
    base_ms: workout.start_ms,
    at: sorted.map(([ms]) => ms),
    values: sorted.map(([, value]) => value),
  };
}
