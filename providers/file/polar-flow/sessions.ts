import { withoutNoise } from '../../../domain/json/decimals.ts';
import { ownValue } from '../../../domain/own-value.ts';
import {
  assumed,
  each,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { type Item, isItem, numberOf, valueAt } from '../../../domain/recipe/read-fields.ts';
import { isoDurationSeconds, localMs } from '../../../domain/time/local-times.ts';
import { isoTime, minuteMs } from '../../../domain/time/time.ts';
import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import type { LapRecord } from '../../../domain/workouts/details.ts';
import { acceptsStream, type StreamType } from '../../../domain/workouts/track.ts';
import { textOrNull } from '../../phone/normalise/item.ts';
import type { Clocks } from '../clocks.ts';
import { type Entry, skipped } from '../entry.ts';
import { lapWith } from '../figures.ts';
import { mostPoints, type Point, readRecording } from '../recording.ts';
import { device } from './nights.ts';

/** The streams of types of samples, in the units of the archive. */
const sampled: Readonly<Record<string, { readonly stream: StreamType; readonly unit: string }>> = {
  HEART_RATE: { stream: 'heart_rate', unit: 'bpm' },
  SPEED: { stream: 'speed', unit: 'km/h' },
  ALTITUDE: { stream: 'altitude', unit: 'm' },
  DISTANCE: { stream: 'distance', unit: 'm' },
  TEMPERATURE: { stream: 'temperature', unit: 'celsius' },
};
/** The names of the same types in old archives. */
const oldNames = { HEART_RATE: 'heartRate', SPEED: 'speed', ALTITUDE: 'altitude' } as const;

/** What a session and each of its legs have. In old archives durations are texts, and sports are words. */
const whole: FieldTable = {
  startTime: kept('local time', 'start_time'),
  stopTime: kept('local time', 'end_time'),
  timezoneOffsetMinutes: kept('min', 'zone_offset'),
  durationMillis: kept('ms', 'workout.moving_seconds'),
  distanceMeters: kept('m', 'workout.distance_meters'),
  calories: kept('kcal', 'workout.calories_kcal'),
  sport: kept(null, 'workout.raw_type'),
  duration: kept('ISO 8601', 'workout.moving_seconds'),
  ...assumed({
    distance: kept('m', 'workout.distance_meters'),
    kiloCalories: kept('kcal', 'workout.calories_kcal'),
    timezoneOffset: kept('min', 'zone_offset'),
    ...each(notKept('the time of the record at the provider'), 'created', 'modified'),
    ...each(notKept('location data: the route is that of the way points'), 'latitude', 'longitude'),
  }),
};

const regular = kept(
  null,
  'series.heart_rate',
  'series.speed',
  ...(['heart_rate', 'speed', 'altitude', 'distance', 'temperature'] as const).map(
    (stream) => `streams.${stream}` as const,
  ),
);

/** A sample of an old archive. */
const oldSample = (stream: StreamType, unit: string): FieldTable => ({
  dateTime: kept('local time', `streams.${stream}`),
  value: kept(unit, `streams.${stream}`),
});

/** A leg. */
const leg: FieldTable = {
  ...whole,
  'identifier.id': kept(null, 'key'),
  'samples.samples[].type': regular,
  'samples.samples[].intervalMillis': regular,
  'samples.samples[].values': regular,
  ...under('routes.route', {
    startTime: kept('local time', 'streams.latitude'),
    'wayPoints[].elapsedMillis': kept('ms', 'streams.latitude'),
    'wayPoints[].latitude': kept('degrees', 'streams.latitude'),
    'wayPoints[].longitude': kept('degrees', 'streams.longitude'),
    'wayPoints[].altitude': kept('m', 'streams.altitude'),
  }),
  ...under('laps.laps[]', {
    splitTimeMillis: kept('ms', 'laps.end_ms'),
    durationMillis: kept('ms', 'laps.duration_seconds', 'laps.start_ms'),
    distanceMeters: kept('m', 'laps.distance_meters'),
  }),
  'laps.autoLaps': notKept('cuts the leg at round distances'),
  'routes.transitionRoute': notKept('of the time between two legs'),
  ...under('samples.heartRate[]', oldSample('heart_rate', 'bpm')),
  ...under('samples.speed[]', oldSample('speed', 'km/h')),
  ...under('samples.altitude[]', oldSample('altitude', 'm')),
  ...assumed({
    ascentMeters: kept('m', 'workout.elevation_gain_meters'),
    descentMeters: kept('m', 'details.elevation_loss_meters'),
    ...under('samples.recordedRoute[]', {
      dateTime: kept('local time', 'streams.latitude'),
      latitude: kept('degrees', 'streams.latitude'),
      longitude: kept('degrees', 'streams.longitude'),
      altitude: kept('m', 'streams.altitude'),
    }),
    ...each(notKept('times between beats'), 'samples.rrSamples', 'samples.rr'),
    ...each(notKept('of the time between two legs'), 'samples.transitionSamples'),
    ...each(notKept('follows from the samples'), 'statistics', 'zones'),
    pauseTimes: notKept('the duration is without them'),
  }),
};

/** A session of `training-session`. */
export const sessionFields: FieldTable = {
  ...whole,
  'identifier.id': kept(null, 'key'),
  hrAvg: kept('bpm', 'workout.avg_heart_rate_bpm'),
  hrMax: kept('bpm', 'workout.max_heart_rate_bpm'),
  ...under('exercises[]', leg),
  ...each(notKept('no description says what it counts'), 'trainingLoad', 'recoveryTimeMillis'),
  physicalInformation: notKept('typed by the user'),
  ...assumed({
    name: kept(null, 'workout.name'),
    'product.modelName': kept(null, 'source'),
    averageHeartRate: kept('bpm', 'workout.avg_heart_rate_bpm'),
    maximumHeartRate: kept('bpm', 'workout.max_heart_rate_bpm'),
    note: notKept('free text of the user'),
    deviceId: notKept('the serial number of the device'),
    exportVersion: notKept('the form of the export'),
  }),
};

/** A span of the user's clock, in milliseconds as if it were UTC. */
type LocalSpan = readonly [fromMs: number, toMs: number];

/** The sessions of an archive. */
export class Sessions {
  readonly #spans = new Map<string, LocalSpan[]>();
  readonly #context: { readonly nowMs: number; readonly rules: VersionedRules | null };

  readonly #clocks: Clocks;

  constructor(clocks: Clocks, context: { readonly nowMs: number; readonly rules: VersionedRules | null }) {
    this.#clocks = clocks;
    this.#context = context;
  }

  /** The spans in which sessions have the heart rate of a date. */
  spansOn(date: string): readonly LocalSpan[] {
    return this.#spans.get(date) ?? [];
  }

  /** The workouts of a session: one, or one of each leg if it has several. */
  read(session: unknown, member: string): Entry[] {
    if (!isItem(session)) return [];
    const key =
      idOf(session) ??
      /session[-_]\d{4}-\d\d-\d\d(?:T[\d-]+)?[-_](\d+)-/.exec(member)?.[1] ??
      String(session.startTime);
    const legs = listAt(session, 'exercises');
    const [only = {}] = legs;
    if (legs.length < 2) return this.#workout({ ...only, ...session }, only, key, session);
    return legs.flatMap((one, index) => this.#workout(one, one, `${key} ${idOf(one) ?? index}`, session));
  }

  #workout(stated: Item, leg: Item, key: string, session: Item): Entry[] {
    const [startMs, endMs] = [localMs(stated.startTime), localMs(stated.stopTime)];
    if (startMs === null || endMs === null) return [skipped('workouts', 'The session has no time.')];
    const own = offsetOf(stated) ?? offsetOf(session);
    if (own !== null) this.#clocks.state(startMs - own * minuteMs, own);
    const offset = own ?? this.#clocks.place(startMs).offset;
    const shiftMs = (offset ?? 0) * minuteMs;
    const points = pointsOf(leg, localMs(leg.startTime) ?? startMs);
    if (points.some(({ heart_rate }) => heart_rate !== undefined)) this.#addSpan([startMs, endMs]);
    const recording = {
      key,
      sport: sportOf(stated.sport),
      name: leg === stated ? null : textOrNull(session.name, 500),
      device: textOrNull(valueAt(session, ['product', 'modelName']), 100) ?? device,
      start_ms: startMs - shiftMs,
      end_ms: endMs - shiftMs,
      zone_offset_minutes: offset,
      totals: {
        moving_seconds: Math.min(secondsIn(stated) ?? Number.NaN, (endMs - startMs) / 1000) || null,
        distance_meters: totalIn(stated, 'distanceMeters', 'distance'),
        calories_kcal: totalIn(stated, 'calories', 'kiloCalories'),
        avg_heart_rate_bpm: totalIn(stated, 'hrAvg', 'averageHeartRate'),
        max_heart_rate_bpm: totalIn(stated, 'hrMax', 'maximumHeartRate'),
        elevation_gain_meters: totalIn(leg, 'ascentMeters'),
      },
      details: { elevation_loss_meters: totalIn(leg, 'descentMeters') },
      laps: lapsOf(leg, (localMs(leg.startTime) ?? startMs) - shiftMs),
      points: points.map((point) => ({ ...point, ms: point.ms - shiftMs })),
    };
    const entry = readRecording(recording, this.#context.rules, this.#context.nowMs);
    if (entry.kind !== 'item' || offset !== null) return [entry];
    // Nothing states the clock: the store places the times.
    return [{ ...entry, item: { ...entry.item, is_local: true } }];
  }

  #addSpan([fromMs, toMs]: LocalSpan): void {
    for (const date of new Set([fromMs, toMs].map((ms) => isoTime(ms).slice(0, 10))))
      this.#spans.set(date, [...this.spansOn(date), [fromMs, toMs]]);
  }
}

const idOf = (part: Item) => textOrNull(valueAt(part, ['identifier', 'id']), 100);

const listAt = (item: Item, ...path: readonly string[]): Item[] => {
  const list = valueAt(item, path);
  return Array.isArray(list) ? list.filter(isItem) : [];
};

function offsetOf({ timezoneOffsetMinutes, timezoneOffset }: Item): number | null {
  const minutes = numberOf(timezoneOffsetMinutes) ?? numberOf(timezoneOffset);
  return minutes !== null && Number.isInteger(minutes) && Math.abs(minutes) <= 18 * 60 ? minutes : null;
}

// A number of a list that is not in the archive says nothing: numbers differ between sources.
function sportOf(sport: unknown): string {
  const id = isItem(sport) ? textOrNull(sport.id, 60) : null;
  return id === null ? (textOrNull(sport, 100)?.toLowerCase() ?? 'other') : `polar ${id}`;
}

/** A total. 0 was not measured. */
function totalIn(item: Item, ...names: readonly string[]): number | null {
  return names.map((name) => numberOf(item[name])).find((value) => value !== null && value > 0) ?? null;
}

function secondsIn({ durationMillis, duration }: Item): number | null {
  const milliseconds = numberOf(durationMillis);
  return milliseconds === null ? isoDurationSeconds(duration) : milliseconds / 1000;
}

function lapsOf(leg: Item, startMs: number): LapRecord[] {
  return listAt(leg, 'laps', 'laps').flatMap((lap) => {
    const [split, seconds] = [numberOf(lap.splitTimeMillis), secondsIn(lap)];
    if (split === null || seconds === null) return [];
    const distance_meters = totalIn(lap, 'distanceMeters');
    const figures = { duration_seconds: seconds, ...(distance_meters === null ? {} : { distance_meters }) };
    // The split is the time from the start of the leg to the end of the lap.
    return lapWith(startMs + split - Math.round(seconds * 1000), figures) ?? [];
  });
}

type GrowingPoint = { ms: number } & { [S in StreamType]?: number };

/** The points of a leg, in the times of the user's clock. What was measured at one instant is one point. */
function pointsOf(leg: Item, startMs: number): Point[] {
  const points = new Map<number, GrowingPoint>();
  const put = (ms: number | null, stream: StreamType, value: unknown) => {
    if (ms === null || !acceptsStream(stream, value)) return;
    const point = points.get(ms) ?? { ms };
    if (point[stream] === undefined) point[stream] = value;
    if (points.size < mostPoints) points.set(ms, point);
  };
  const putSample = (ms: number | null, type: unknown, value: unknown) => {
    const { stream, unit } = ownValue(sampled, String(type)) ?? {};
    if (stream === undefined || typeof value !== 'number') return;
    put(ms, stream, unit === 'km/h' ? withoutNoise(value / 3.6) : value);
  };
  for (const { type, intervalMillis, values } of listAt(leg, 'samples', 'samples')) {
    const every = numberOf(intervalMillis) ?? 0;
    if (every <= 0 || !Array.isArray(values)) continue;
    for (const [index, value] of values.entries()) putSample(startMs + index * every, type, value);
  }
  for (const [type, name] of Object.entries(oldNames))
    for (const { dateTime, value } of listAt(leg, 'samples', name)) putSample(localMs(dateTime), type, value);
  const routeMs = localMs(valueAt(leg, ['routes', 'route', 'startTime'])) ?? startMs;
  const ways = [
    ...listAt(leg, 'routes', 'route', 'wayPoints').map((point) => {
      const elapsed = numberOf(point.elapsedMillis);
      return { ms: elapsed === null ? null : routeMs + elapsed, point };
    }),
    ...listAt(leg, 'samples', 'recordedRoute').map((point) => ({ ms: localMs(point.dateTime), point })),
  ];
  for (const { ms, point } of ways)
    for (const stream of ['latitude', 'longitude', 'altitude'] as const) put(ms, stream, point[stream]);
  return [...points.values()];
}
