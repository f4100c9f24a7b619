import { isItem } from '../../../domain/recipe/read-fields.ts';
import { type LapRecord, mostLaps, noFigures } from '../../../domain/workouts/details.ts';
import type { StreamType, Track } from '../../../domain/workouts/track.ts';
import { instantMs } from './item.ts';

/** The laps of an activity. The provider sends their starts; their figures are those of the track in between. */
export function lapsOf(
  given: unknown,
  track: Track | null,
  endMs: number,
  nowMs: number,
): LapRecord[] | null {
  const starts = (Array.isArray(given) ? given : []).flatMap((lap) =>
    isItem(lap) ? (instantMs(lap.startTimeInSeconds, nowMs) ?? []) : [],
  );
  if (starts.length === 0) return null;
  const sorted = [...new Set(starts)].sort((a, b) => a - b).slice(0, mostLaps);
  return sorted.map((start_ms, index) => {
    const end_ms = Math.max(sorted[index + 1] ?? endMs, start_ms);
    const figures = track === null ? {} : figuresOf(track, start_ms, end_ms);
    return { ...noFigures, ...figures, start_ms, end_ms, duration_seconds: (end_ms - start_ms) / 1000 };
  });
}

function figuresOf({ times, columns }: Track, startMs: number, endMs: number): Partial<LapRecord> {
  const [from, to] = [firstFrom(times, startMs), firstFrom(times, endMs)];
  const measured = (type: StreamType) =>
    [...(columns.get(type)?.subarray(from, to) ?? [])].filter((value) => !Number.isNaN(value));
  const [speeds, rates, cadences] = [measured('speed'), measured('heart_rate'), measured('cadence')];
  // The distance counts from the start of the activity.
  const distanceAt = (index: number) =>
    columns
      .get('distance')
      ?.subarray(0, index + 1)
      .findLast((value) => !Number.isNaN(value)) ?? null;
  const end = distanceAt(to);
  return {
    distance_meters: end === null ? null : Math.max(0, end - (distanceAt(from) ?? 0)),
    avg_speed_meters_per_second: mean(speeds),
    max_speed_meters_per_second: largest(speeds),
    avg_heart_rate_bpm: mean(rates),
    max_heart_rate_bpm: largest(rates),
    avg_cadence_rpm: mean(cadences),
    max_cadence_rpm: largest(cadences),
    avg_power_watts: mean(measured('power')),
  };
}

function firstFrom(times: readonly number[], ms: number): number {
  const index = times.findIndex((time) => time >= ms);
  return index === -1 ? times.length : index;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}
