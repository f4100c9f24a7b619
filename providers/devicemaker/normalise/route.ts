import { type LapRecord, mostLaps, noFigures } from '../../../domain/workouts/details.ts';
import { acceptsStream, type StreamType, type Track } from '../../../domain/workouts/track.ts';
import { instantMs, isObject } from './item.ts';

type Sample = Readonly<Record<string, unknown>>;

/** The streams of one field a sample. */
const table: readonly (readonly [type: StreamType, field: string])[] = [
  ['altitude', 'elevationInMeters'],
  ['distance', 'totalDistanceInMeters'],
  ['speed', 'speedMetersPerSecond'],
  ['heart_rate', 'heartRate'],
  ['power', 'powerInWatts'],
  ['temperature', 'airTemperatureCelcius'],
];

/** The track of an activity's samples. Of two samples of one instant the later one is kept. Null without samples. */
export function routeOf(given: unknown, nowMs: number): Track | null {
  const samples = inOrder(given, nowMs);
  if (samples.length === 0) return null;
  const columns = new Map<StreamType, Float64Array>();
  const add = (type: StreamType, read: (sample: Sample, index: number) => unknown) => {
    const values = Float64Array.from(samples, ([, sample], index) => {
      const value = read(sample, index);
      return acceptsStream(type, value) ? value : Number.NaN;
    });
    if (values.some((value) => !Number.isNaN(value))) columns.set(type, values);
  };
  add('latitude', (sample) => (isLocated(sample) ? sample.latitudeInDegree : null));
  add('longitude', (sample) => (isLocated(sample) ? sample.longitudeInDegree : null));
  for (const [type, field] of table) add(type, (sample) => sample[field]);
  add('cadence', cadenceOf);
  add('moving', (sample, index) => isMoving(sample, samples[index - 1]?.[1]));
  return columns.size === 0 ? null : { times: samples.map(([ms]) => ms), columns };
}

function inOrder(given: unknown, nowMs: number): (readonly [number, Sample])[] {
  const byTime = new Map<number, Sample>();
  let [last, isSorted] = [Number.NEGATIVE_INFINITY, true];
  for (const sample of Array.isArray(given) ? given : []) {
    const seconds = isObject(sample) ? sample.startTimeInSeconds : null;
    const ms = typeof seconds === 'number' ? instantMs(seconds, nowMs) : null;
    if (ms === null || !isObject(sample)) continue;
    isSorted &&= ms >= last;
    last = ms;
    byTime.set(ms, sample);
  }
  const entries = [...byTime];
  return isSorted ? entries : entries.sort(([a], [b]) => a - b);
}

// A position counts only as a whole. Devices without a fix send 0 and 0.
function isLocated({ latitudeInDegree: latitude, longitudeInDegree: longitude }: Sample): boolean {
  if (!acceptsStream('latitude', latitude) || !acceptsStream('longitude', longitude)) return false;
  return latitude !== 0 || longitude !== 0;
}

// As in `activity-track.ts`: of both cadences the first one above 0 is used.
function cadenceOf({ bikeCadenceInRPM: bike, stepsPerMinute: steps }: Sample): unknown {
  const feet = typeof steps === 'number' ? steps / 2 : null;
  if (typeof bike !== 'number') return feet;
  return bike === 0 && feet !== null && feet > 0 ? feet : bike;
}

function isMoving(sample: Sample, before: Sample | undefined): number | null {
  const now = sample.movingDurationInSeconds;
  const then = before === undefined ? 0 : before.movingDurationInSeconds;
  return typeof now === 'number' && typeof then === 'number' ? Number(now > then) : null;
}

/** The laps of an activity. The provider sends their starts; their figures are those of the track in between. */
export function lapsOf(
  given: unknown,
  track: Track | null,
  endMs: number,
  nowMs: number,
): LapRecord[] | null {
  const starts = (Array.isArray(given) ? given : []).flatMap((lap) => {
    const seconds = isObject(lap) ? lap.startTimeInSeconds : null;
    return typeof seconds === 'number' ? (instantMs(seconds, nowMs) ?? []) : [];
  });
  if (starts.length === 0) return null;
  const sorted = [...new Set(starts)].sort((a, b) => a - b).slice(0, mostLaps);
  return sorted.map((start_ms, index) => {
    const end_ms = Math.max(sorted[index + 1] ?? endMs, start_ms);
    const figures = track === null ? {} : figuresOf(track, start_ms, end_ms);
    return { ...noFigures, ...figures, start_ms, end_ms, duration_seconds: (end_ms - start_ms) / 1000 };
  });
}

function figuresOf({ times, columns }: Track, startMs: number, endMs: number): Partial<LapRecord> {
  const from = firstFrom(times, startMs);
  const to = firstFrom(times, endMs);
  const measured = (type: StreamType) =>
    [...(columns.get(type)?.subarray(from, to) ?? [])].filter((value) => !Number.isNaN(value));
  const speeds = measured('speed');
  const rates = measured('heart_rate');
  const cadences = measured('cadence');
  return {
    distance_meters: distanceOf(columns.get('distance'), from, to),
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
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The distance counts from the start of the activity.
function distanceOf(distances: Float64Array | undefined, from: number, to: number): number | null {
  const at = (index: number) => {
    for (let last = index; last >= 0; last -= 1) {
      const value = distances?.[last] ?? Number.NaN;
      if (!Number.isNaN(value)) return value;
    }
    return null;
  };
  const end = at(Math.min(to, (distances?.length ?? 0) - 1));
  return end === null ? null : Math.max(0, end - (at(from) ?? 0));
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}
