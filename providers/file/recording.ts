import { hash } from 'node:crypto';
import { ownValue } from '../../domain/own-value.ts';
import {
  bareItem,
  type SampleBlock,
  type StoreItem,
  type WorkoutRecord,
} from '../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../domain/records/series.ts';
import type { VersionedRules } from '../../domain/workouts/cut-chunks.ts';
import { cutChunks } from '../../domain/workouts/cut-chunks.ts';
import {
  type GivenDetails,
  hasExtras,
  type LapRecord,
  mostLaps,
  sentDetails,
} from '../../domain/workouts/details.ts';
import { sportOfNumber, workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { acceptsStream, type StreamType, streamTypes, type Track } from '../../domain/workouts/track.ts';
import { textOrNull } from '../phone/normalise/item.ts';
import { plainName } from '../phone/normalise/workout.ts';
import { type Entry, type Skipped, skipped, spanProblem, workoutDataType } from './entry.ts';
import { boundedWorkout } from './figures.ts';

/** A point of a recorded activity: what was measured at an instant, in the units of the streams. */
export type Point = { readonly ms: number } & { readonly [S in StreamType]?: number };

type Total =
  | 'moving_seconds'
  | 'calories_kcal'
  | 'distance_meters'
  | 'elevation_gain_meters'
  | 'avg_heart_rate_bpm'
  | 'max_heart_rate_bpm'
  | 'steps';

/** An activity as a device recorded it. */
export interface Recording {
  /** The sport in lower case, `running`. */
  readonly sport: string;
  readonly name: string | null;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number | null;
  /** What the file states beside its points. */
  readonly totals: { readonly [T in Total]?: number | null };
  readonly details: GivenDetails;
  readonly laps: readonly LapRecord[];
  readonly points: readonly Point[];
  /** The id of the activity where it was recorded or exported. Without one the key is the content. */
  readonly key?: string;
  /** Whether it was entered by hand. */
  readonly manual?: boolean;
}

/** The most points of an activity: more than two days, one each second. */
export const mostPoints = 200_000;

/** The workout of a recording, with its samples and its track. */
export function readRecording(given: Recording, rules: VersionedRules | null, nowMs: number): Entry {
  const { start_ms, end_ms } = given;
  const problem = problemOf(given, nowMs);
  if (problem !== null) return problem;
  const track = trackOf(given.points);
  const { workout, extras, notes } = boundedWorkout(workoutOf(given, track), extrasOf(given));
  const identity = `${given.sport}\n${given.device}\n${start_ms}\n${end_ms}`;
  const key = given.key ?? hash('sha256', identity, 'base64url');
  const samples = samplesOf(given, track);
  const content = JSON.stringify([workout, extras, samples, track?.times, [...(track?.columns ?? [])]]);
  const item: StoreItem = {
    ...bareItem,
    data_type: workoutDataType,
    key,
    supersede: 'latest',
    hash: hash('sha256', content, 'base64url'),
    duration_seconds: workout.duration_seconds,
    workout,
    extras,
    samples,
    ...cutChunks(track, rules),
  };
  return { kind: 'item', item, type: 'workouts', span: { start_ms, end_ms }, notes };
}

const longestMs = 31 * 86_400_000;

function problemOf({ start_ms, end_ms }: Recording, nowMs: number): Skipped | null {
  if (!Number.isFinite(start_ms) || !Number.isFinite(end_ms))
    return skipped('workouts', 'The activity has no time.');
  const problem = spanProblem({ start_ms, end_ms }, nowMs);
  if (problem !== null) return skipped('workouts', problem);
  return end_ms - start_ms > longestMs ? skipped('workouts', 'The activity is longer than 31 days.') : null;
}

function workoutOf(given: Recording, track: Track | null): WorkoutRecord {
  const { start_ms, end_ms, zone_offset_minutes, device, totals, sport, name } = given;
  const heartRates = [...(track?.columns.get('heart_rate') ?? [])].filter((value) => !Number.isNaN(value));
  const mean = heartRates.reduce((sum, value) => sum + value, 0) / heartRates.length;
  const ofTrack = (value: number) => (heartRates.length === 0 ? null : value);
  const distances = track?.columns.get('distance')?.filter((value) => !Number.isNaN(value));
  const distance_meters = totals.distance_meters ?? distances?.at(-1) ?? null;
  const duration_seconds = Math.round((end_ms - start_ms) / 1000);
  const [raw, title] = [textOrNull(sport, 100) ?? 'other', textOrNull(name, 500)];
  const moving = totals.moving_seconds ?? duration_seconds;
  return {
    type: workoutTypeNamed(ownValue(sportOfNumber, sport) ?? sport),
    raw_type: raw,
    plain_name: title === null,
    name: title ?? plainName(raw),
    start_ms,
    end_ms,
    zone_offset_minutes,
    duration_seconds,
    device,
    moving_seconds: rounded(totals.moving_seconds),
    calories_kcal: totals.calories_kcal ?? null,
    distance_meters,
    avg_heart_rate_bpm: rounded(totals.avg_heart_rate_bpm ?? ofTrack(mean)),
    max_heart_rate_bpm: rounded(totals.max_heart_rate_bpm ?? ofTrack(heartRates.reduce(larger, 0))),
    avg_pace_sec_per_km:
      distance_meters === null || distance_meters <= 0 ? null : (1000 * moving) / distance_meters,
    elevation_gain_meters: totals.elevation_gain_meters ?? null,
    steps: rounded(totals.steps),
    manual: given.manual ?? false,
    web_upload: null,
    private: null,
    is_parent: false,
    parent_id: null,
  };
}

const rounded = (value: number | null = null) => (value === null ? null : Math.round(value));
const larger = (a: number, b: number) => Math.max(a, b);

function extrasOf({ details, laps }: Recording): StoreItem['extras'] {
  const given = { details: sentDetails(details), laps: laps.length === 0 ? null : laps.slice(0, mostLaps) };
  const extras = { ...given, splits: null, extra: null };
  return hasExtras(extras) ? extras : null;
}

/** The track of points: of two at one instant the later one counts, and values out of range were not measured. */
export function trackOf(points: readonly Point[]): Track | null {
  const byTime = new Map(points.map((point) => [point.ms, point]));
  const sorted = [...byTime.values()].toSorted((a, b) => a.ms - b.ms);
  const columns = new Map<StreamType, Float64Array>();
  for (const type of streamTypes) {
    const values = Float64Array.from(sorted, (point) =>
      isMeasured(type, point) ? (point[type] ?? Number.NaN) : Number.NaN,
    );
    if (values.some((value) => !Number.isNaN(value))) columns.set(type, values);
  }
  return columns.size === 0 ? null : { times: sorted.map(({ ms }) => ms), columns };
}

// A position counts only as a whole.
function isMeasured(type: StreamType, point: Point): boolean {
  const isPosition = type === 'latitude' || type === 'longitude';
  if (!isPosition) return acceptsStream(type, point[type]);
  return acceptsStream('latitude', point.latitude) && acceptsStream('longitude', point.longitude);
}

/** The streams that become samples too. */
const sampled: readonly (readonly [StreamType, SeriesType])[] = [
  ['heart_rate', 'heart_rate'],
  ['cadence', 'cadence'],
  ['power', 'power'],
  ['speed', 'speed'],
];

function samplesOf(
  { start_ms, end_ms, device, zone_offset_minutes }: Recording,
  track: Track | null,
): SampleBlock[] {
  return sampled.flatMap(([stream, type]): SampleBlock[] => {
    const column = track?.columns.get(stream);
    const kept = (track?.times ?? []).flatMap((ms, index) => {
      const value = column?.[index];
      return ms >= start_ms && ms <= end_ms && accepts(type, value) ? [{ at: ms - start_ms, value }] : [];
    });
    if (kept.length === 0) return [];
    const [at, values] = [kept.map((one) => one.at), kept.map((one) => one.value)];
    return [{ type, device, zone_offset_minutes, base_ms: start_ms, at, values }];
  });
}
