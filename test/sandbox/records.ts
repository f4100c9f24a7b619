// Compares the expected data of the sandbox with an export, field by field and value by value.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { compared } from './compare.ts';

const names: ReadonlySet<string> = new Set(compared);

/** A record in a form that both sides have. */
type Plain = Readonly<Record<string, unknown>>;

/** Records of a user, each kind sorted by provider and key. */
export interface Records {
  readonly workouts: readonly Plain[];
  readonly sleeps: readonly Plain[];
  readonly days: readonly Plain[];
  readonly others: readonly Plain[];
}

/** All data of a user: records, and by series (`provider/type/device`) the value of each second. */
export interface Stored {
  readonly records: Records;
  readonly series: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Seconds that occur twice in the export. */
  readonly twice: number;
}

const Line = z.looseObject({ kind: z.string() });
const Sample = z.object({
  type: z.string(),
  timestamp: z.string(),
  value: z.number(),
  source: z.object({ provider: z.string(), device: z.string() }),
  recording_method: z.string().optional(),
});

/** Reads an export to its last line. @throws Error if that is missing */
export async function readExport(response: Response): Promise<Stored> {
  const kinds: Record<string, Plain[]> = { workout: [], sleep: [], day: [], other: [] };
  const series = new Map<string, Map<number, number>>();
  let [twice, isWhole] = [0, false];
  if (response.status !== 200 || response.body === null) throw new Error(`the export: ${response.status}`);
  for await (const text of createInterface({ input: Readable.fromWeb(response.body) })) {
    const line = Line.parse(JSON.parse(text));
    if (!isCompared(line)) continue;
    if (line.kind === 'sample') twice += addSample(series, Sample.parse(line)) ? 0 : 1;
    else if (line.kind === 'end') isWhole = true;
    else kinds[line.kind]?.push(line);
  }
  if (!isWhole) throw new Error('the export has no end');
  const { workout = [], sleep = [], day = [], other = [] } = kinds;
  const records = {
    workouts: sorted(workout.map(pick(workoutFields))),
    sleeps: sorted(sleep.map(pick(sleepFields))),
    days: sorted(day.map(pick(dayFields))),
    others: sorted(other.map(pick(otherFields))),
  };
  return { records, series, twice };
}

/** Whether a line is of a provider whose data is compared. `npm start` connects further ones. */
function isCompared(line: Plain): boolean {
  const { provider = line.provider } = Object(line.source);
  return provider === undefined || names.has(String(provider));
}

/** The name of a device with the method of its samples, as the expected data has it. */
export function madeBy(device: string, method: string | undefined): string {
  return method === undefined || device === method ? device : `${device} (${method.replace('_', ' ')})`;
}

function addSample(
  all: Map<string, Map<number, number>>,
  { type, timestamp, value, source, recording_method }: z.infer<typeof Sample>,
): boolean {
  const name = `${source.provider}/${type}/${madeBy(source.device, recording_method)}`;
  const known = all.get(name) ?? new Map<number, number>();
  all.set(name, known);
  const second = Date.parse(timestamp) / 1000;
  const isNew = !known.has(second);
  known.set(second, value);
  return isNew;
}

const heartFields = ['avg_heart_rate_bpm', 'max_heart_rate_bpm'];
const workoutFields = [
  ...['provider', 'key', 'device', 'type', 'raw_type', 'name', 'start_time', 'end_time'],
  ...['zone_offset_minutes', 'duration_seconds', 'moving_seconds', 'calories_kcal', 'distance_meters'],
  ...[
    'avg_pace_sec_per_km',
    'elevation_gain_meters',
    'steps',
    'manual',
    'web_upload',
    'private',
    'is_parent',
  ],
  ...heartFields,
];
const sleepFields = [
  ...['provider', 'device', 'start_time', 'end_time', 'zone_offset_minutes', 'date', 'is_nap'],
  ...['asleep_seconds', 'deep_seconds', 'light_seconds', 'rem_seconds', 'awake_seconds'],
  ...['unmeasurable_seconds', 'interruptions', 'score'],
];
const dayFields = [
  ...['provider', 'device', 'date', 'start_time', 'zone_offset_minutes', 'duration_seconds', 'steps'],
  ...['distance_meters', 'floors_climbed', 'active_seconds', 'moderate_seconds', 'vigorous_seconds'],
  ...['active_calories_kcal', 'basal_calories_kcal', 'min_heart_rate_bpm', ...heartFields],
];
const otherFields = ['provider', 'type', 'start_time', 'end_time', 'data'];

const pick = (names: readonly string[]) => (record: Plain) =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

function sorted(records: readonly Plain[]): Plain[] {
  const key = ({ provider, start_time, key = '', type = '' }: Plain) =>
    `${provider} ${start_time} ${key} ${type}`;
  return records.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Gets JSON of the sandbox. */
export type Ask = (path: string) => Promise<unknown>;

const Activity = z.object({
  activityId: z.number(),
  activityName: z.string(),
  activityType: z.string(),
  deviceName: z.string(),
  startTimeInSeconds: z.number(),
  startTimeOffsetInSeconds: z.number(),
  durationInSeconds: z.number(),
  activeKilocalories: z.number(),
  steps: z.number().optional(),
  averageHeartRateInBeatsPerMinute: z.number().optional(),
  maxHeartRateInBeatsPerMinute: z.number().optional(),
  distanceInMeters: z.number().optional(),
  averageSpeedInMetersPerSecond: z.number().optional(),
  averagePaceInMinutesPerKilometer: z.number().optional(),
  totalElevationGainInMeters: z.number().optional(),
});

const Upload = z.object({
  id: z.number(),
  name: z.string(),
  sport_type: z.string(),
  start_date: z.string(),
  utc_offset: z.number(),
  elapsed_time: z.number(),
  moving_time: z.number(),
  distance: z.number(),
  total_elevation_gain: z.number(),
  average_heartrate: z.number().optional(),
  max_heartrate: z.number().optional(),
  calories: z.number(),
  device_name: z.string(),
});

const Night = z.object({
  calendarDate: z.string(),
  startTimeInSeconds: z.number(),
  startTimeOffsetInSeconds: z.number(),
  durationInSeconds: z.number(),
  deepSleepDurationInSeconds: z.number(),
  lightSleepDurationInSeconds: z.number(),
  remSleepInSeconds: z.number(),
  awakeDurationInSeconds: z.number(),
  unmeasurableSleepInSeconds: z.number(),
  sleepLevelsMap: z.record(
    z.string(),
    z.array(z.object({ startTimeInSeconds: z.number(), endTimeInSeconds: z.number() })),
  ),
  overallSleepScore: z.object({ value: z.number() }),
  naps: z.array(
    z.object({
      napStartTimeInSeconds: z.number(),
      napDurationInSeconds: z.number(),
      napOffsetInSeconds: z.number(),
    }),
  ),
});

const Daily = z.object({
  calendarDate: z.string(),
  startTimeInSeconds: z.number(),
  startTimeOffsetInSeconds: z.number(),
  durationInSeconds: z.number(),
  steps: z.number(),
  distanceInMeters: z.number(),
  floorsClimbed: z.number(),
  activeTimeInSeconds: z.number(),
  moderateIntensityDurationInSeconds: z.number(),
  vigorousIntensityDurationInSeconds: z.number(),
  activeKilocalories: z.number(),
  bmrKilocalories: z.number(),
  minHeartRateInBeatsPerMinute: z.number().optional(),
  maxHeartRateInBeatsPerMinute: z.number().optional(),
  timeOffsetHeartRateSamples: z.record(z.string(), z.number()).default({}),
});

const Walk = z.looseObject({
  userId: z.string(),
  startTimeInSeconds: z.number(),
  durationInSeconds: z.number(),
});
const Cycle = z.looseObject({ userId: z.string(), periodStartDate: z.string(), dayInCycle: z.number() });

/** The expected records of a user. */
export async function recordsOf(ask: Ask, person: number): Promise<Records> {
  const items = async <T>(schema: z.ZodType<T>, type: string) =>
    z.array(schema).parse(await ask(`/ledger/items?person=${person}&type=${type}`));
  const nights = await items(Night, 'sleeps');
  const uploads = z.array(Upload).parse(await ask(`/ledger/activities?person=${person}`));
  const others = [
    ...(await items(Walk, 'moveiq')).map(walkRecord),
    ...(await items(Cycle, 'mct')).map(cycleRecord),
  ];
  return {
    workouts: sorted(
      [...(await items(Activity, 'activities')).map(workoutRecord), ...uploads.map(uploadRecord)].map(
        pick(workoutFields),
      ),
    ),
    sleeps: sorted([...nights.map(nightRecord), ...nights.flatMap(napRecords)].map(pick(sleepFields))),
    days: sorted((await items(Daily, 'dailies')).map(dayRecord).map(pick(dayFields))),
    others: sorted(others.map(pick(otherFields))),
  };
}

/** The workout types of the sandbox's sports, by the names of both providers. */
const types: Readonly<Record<string, string>> = {
  ...{ RUNNING: 'running', TRACK_RUNNING: 'running', ROAD_BIKING: 'cycling', INDOOR_CYCLING: 'cycling' },
  ...{ LAP_SWIMMING: 'swimming', HIKING: 'hiking', WALKING: 'walking', YOGA: 'yoga' },
  ...{ STRENGTH_TRAINING: 'strength_training', INDOOR_ROWING: 'rowing' },
  ...{ Run: 'running', Ride: 'cycling', VirtualRide: 'cycling', Swim: 'swimming', Hike: 'hiking' },
  ...{ Walk: 'walking', WeightTraining: 'strength_training', Yoga: 'yoga', Rowing: 'rowing' },
};

function iso(second: number): string {
  return new Date(second * 1000).toISOString().replace('.000Z', 'Z');
}

function workoutRecord(item: z.infer<typeof Activity>): Plain {
  const start = item.startTimeInSeconds;
  const pace = item.averagePaceInMinutesPerKilometer;
  const speed = item.averageSpeedInMetersPerSecond;
  return {
    ...{ provider: 'devicemaker', key: String(item.activityId), device: item.deviceName },
    ...{ type: types[item.activityType], raw_type: item.activityType, name: item.activityName },
    ...{ start_time: iso(start), end_time: iso(start + item.durationInSeconds) },
    zone_offset_minutes: item.startTimeOffsetInSeconds / 60,
    duration_seconds: item.durationInSeconds,
    calories_kcal: item.activeKilocalories,
    distance_meters: item.distanceInMeters,
    avg_pace_sec_per_km: pace !== undefined ? pace * 60 : speed !== undefined ? 1000 / speed : null,
    elevation_gain_meters: item.totalElevationGainInMeters,
    steps: item.steps,
    ...{ manual: false, web_upload: false, is_parent: false },
    avg_heart_rate_bpm: item.averageHeartRateInBeatsPerMinute,
    max_heart_rate_bpm: item.maxHeartRateInBeatsPerMinute,
  };
}

function uploadRecord(one: z.infer<typeof Upload>): Plain {
  const start = Date.parse(one.start_date) / 1000;
  const heart = one.average_heartrate;
  return {
    ...{ provider: 'activitynet', key: String(one.id), device: one.device_name },
    ...{ type: types[one.sport_type], raw_type: one.sport_type, name: one.name },
    ...{ start_time: iso(start), end_time: iso(start + one.elapsed_time) },
    zone_offset_minutes: one.utc_offset / 60,
    duration_seconds: one.elapsed_time,
    moving_seconds: one.moving_time,
    calories_kcal: one.calories === 0 ? null : one.calories,
    distance_meters: one.distance,
    avg_pace_sec_per_km: one.distance === 0 ? null : one.moving_time / (one.distance / 1000),
    elevation_gain_meters: one.total_elevation_gain,
    ...{ manual: false, private: false, is_parent: false },
    avg_heart_rate_bpm: heart === undefined ? null : Math.round(heart),
    max_heart_rate_bpm: one.max_heartrate,
  };
}

function nightRecord(item: z.infer<typeof Night>): Plain {
  const start = item.startTimeInSeconds;
  const stages = {
    deep_seconds: item.deepSleepDurationInSeconds,
    light_seconds: item.lightSleepDurationInSeconds,
    rem_seconds: item.remSleepInSeconds,
    awake_seconds: item.awakeDurationInSeconds,
    unmeasurable_seconds: item.unmeasurableSleepInSeconds,
  };
  const measured = Object.values(stages).reduce((sum, one) => sum + one, 0);
  const ends = Object.values(item.sleepLevelsMap).flatMap((spans) =>
    spans.map((one) => one.endTimeInSeconds),
  );
  const end = Math.max(start + measured, start + item.durationInSeconds, ...ends);
  const awake = item.sleepLevelsMap.awake ?? [];
  return {
    ...{ provider: 'devicemaker', device: 'unknown', start_time: iso(start), end_time: iso(end) },
    ...{ zone_offset_minutes: item.startTimeOffsetInSeconds / 60, date: item.calendarDate, is_nap: false },
    asleep_seconds: stages.deep_seconds + stages.light_seconds + stages.rem_seconds,
    ...stages,
    interruptions: awake.filter((one) => one.startTimeInSeconds > start && one.endTimeInSeconds < end).length,
    score: item.overallSleepScore.value,
  };
}

function napRecords({ naps }: z.infer<typeof Night>): Plain[] {
  return naps.map(({ napStartTimeInSeconds: start, napDurationInSeconds: seconds, napOffsetInSeconds }) => ({
    ...{ provider: 'devicemaker', device: 'unknown', start_time: iso(start), end_time: iso(start + seconds) },
    ...{ zone_offset_minutes: napOffsetInSeconds / 60, is_nap: true, asleep_seconds: seconds },
    date: iso(start + seconds + napOffsetInSeconds).slice(0, 10),
  }));
}

function dayRecord(item: z.infer<typeof Daily>): Plain {
  const rates = Object.values(item.timeOffsetHeartRateSamples);
  const mean = Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length);
  return {
    ...{ provider: 'devicemaker', device: 'unknown', date: item.calendarDate },
    start_time: iso(item.startTimeInSeconds),
    zone_offset_minutes: item.startTimeOffsetInSeconds / 60,
    duration_seconds: item.durationInSeconds,
    ...{ steps: item.steps, distance_meters: item.distanceInMeters, floors_climbed: item.floorsClimbed },
    active_seconds: item.activeTimeInSeconds,
    moderate_seconds: item.moderateIntensityDurationInSeconds,
    vigorous_seconds: item.vigorousIntensityDurationInSeconds,
    active_calories_kcal: item.activeKilocalories,
    basal_calories_kcal: item.bmrKilocalories,
    min_heart_rate_bpm: item.minHeartRateInBeatsPerMinute,
    avg_heart_rate_bpm: rates.length === 0 ? null : mean,
    max_heart_rate_bpm: item.maxHeartRateInBeatsPerMinute,
  };
}

// The account is stored with the connection, not with each event.
function walkRecord({ userId: _, ...item }: z.infer<typeof Walk>): Plain {
  const start = item.startTimeInSeconds;
  const end_time = iso(start + item.durationInSeconds);
  return { provider: 'devicemaker', type: 'moveiq', start_time: iso(start), end_time, data: item };
}

function cycleRecord({ userId: _, ...item }: z.infer<typeof Cycle>): Plain {
  const start = Date.parse(item.periodStartDate) / 1000 + (item.dayInCycle - 1) * 86_400;
  return {
    ...{ provider: 'devicemaker', type: 'mct', start_time: iso(start), end_time: iso(start + 86_400) },
    data: item,
  };
}

const Series = z.array(
  z.object({
    provider: z.string(),
    type: z.string(),
    device: z.string(),
    samples: z.array(z.array(z.number()).min(2)),
  }),
);

/** The differences between a user's samples and the expected ones; all zeros if there are none. */
export interface Differences {
  readonly compared: number;
  /** Seconds with different values in items of several types, one of which must be stored. */
  readonly several: number;
  readonly lost: number;
  readonly more: number;
  readonly other: number;
  /** The first differences, by series and time. */
  readonly examples: readonly string[];
}

const near = 1e-6; // sums are rounded to as much
const examplesMost = 5;

/** Compares samples value by value. */
export async function compareSamples(ask: Ask, person: number, have: Stored['series']): Promise<Differences> {
  const counts = { compared: 0, several: 0, lost: 0, more: 0, other: 0 };
  const examples: string[] = [];
  const note = (kind: keyof typeof counts, text: string) => {
    counts[kind] += 1;
    if (examples.length < examplesMost) examples.push(`${kind}: ${text}`);
  };
  const seen = new Set<string>();
  for (const { provider, type, device, samples } of Series.parse(
    await ask(`/ledger/samples?person=${person}`),
  )) {
    if (!names.has(provider)) continue;
    const name = `${provider}/${type}/${device}`;
    seen.add(name);
    const stored = have.get(name) ?? new Map<number, number>();
    const known = new Set(samples.map(([second]) => second));
    for (const [second = 0, ...values] of samples) {
      counts.compared += 1;
      counts.several += values.length > 1 ? 1 : 0;
      const value = stored.get(second);
      const at = `${name} ${iso(second)}`;
      if (value === undefined) note('lost', at);
      else if (!values.some((one) => Math.abs(one - value) <= near))
        note('other', `${at} ${value} ${values}`);
    }
    for (const second of stored.keys()) if (!known.has(second)) note('more', `${name} ${iso(second)}`);
  }
  for (const [name, stored] of have)
    if (!seen.has(name)) note('more', `${name}: ${stored.size} samples of a series that nobody sent`);
  return { ...counts, examples };
}
