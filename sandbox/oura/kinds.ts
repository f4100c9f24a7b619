import { isoTime } from '../../domain/time/time.ts';
import type { SimulatedDay, Sleep } from '../day-simulation/day.ts';
import { stageTotals } from '../day-simulation/night.ts';
import type { DayChanges, ListedKind, ListedRecord } from '../listed/listed.ts';
import { hashOf } from '../simulation/random.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const intervalMs = 5 * minuteMs;
/** METs of a day come at larger intervals than those of a ring, which has one a minute. */
const metIntervalMs = 15 * minuteMs;

/** A time with the offset of the user's clock. */
function localTime(ms: number, offsetMinutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(offsetMinutes);
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${isoTime(ms + offsetMinutes * minuteMs).slice(0, 19)}.000${offset}`;
}

const idOf = (day: SimulatedDay, name: string) =>
  `${hashOf(`${day.user.seed}/${day.date}/${name}`)}-${hashOf(`${name}/${day.date}`)}`;

/** A record of a day that is known once the user opens the app in the morning. */
function ofMorning(
  day: SimulatedDay,
  name: string,
  fields: (id: string) => Readonly<Record<string, unknown>>,
  series?: { readonly type: 'oxygen_saturation' | 'vo2_max'; readonly value: number },
): ListedRecord[] {
  if (day.sleep === null) return [];
  const [id, noonMs] = [idOf(day, name), Date.parse(`${day.date}T12:00:00Z`)];
  const at = { startMs: noonMs, endMs: noonMs, availableMs: Math.max(day.sleep.endMs, noonMs) + hourMs / 2 };
  const record = { id, ...at, fields: { id, day: day.date, ...fields(id) } };
  return series === undefined ? [record] : [{ ...record, samples: [[series.type, noonMs, series.value]] }];
}

const stamped = (day: SimulatedDay) => ({ timestamp: `${day.date}T00:00:00+00:00` });
const scoreOf = ({ versionOf }: DayChanges, id: string) => Math.min(100, 80 + versionOf(id));

/** Values each five minutes of a night; each seventh one is missing. */
function ofNight(night: Sleep, value: (index: number) => number) {
  const count = Math.floor((night.endMs - night.startMs) / intervalMs);
  const items = Array.from({ length: count }, (_, index) => (index % 7 === 0 ? null : value(index)));
  const points = items.flatMap((item, index) =>
    item === null ? [] : [[night.startMs + index * intervalMs, item] as const],
  );
  const timestamp = localTime(night.startMs, night.offset_minutes);
  return { array: { interval: 300, items, timestamp }, points };
}

const characters = { deep: '1', light: '2', rem: '3', awake: '4', unmeasurable: '4' } as const;

function phasesOf({ startMs, endMs, stages }: Sleep): string {
  const count = Math.floor((endMs - startMs) / intervalMs);
  return Array.from({ length: count }, (_, index) => {
    const ms = startMs + (index + 0.5) * intervalMs;
    return characters[stages.find((one) => ms < one.endMs)?.stage ?? 'light'];
  }).join('');
}

function nightOf(day: SimulatedDay, changes: DayChanges): ListedRecord[] {
  const { sleep: night } = day;
  if (night === null) return [];
  const id = idOf(day, 'sleep');
  const { deep, light, rem, awake, unmeasurable } = stageTotals(night.stages);
  const resting = Math.round(day.resting_heart_rate_bpm);
  const heart = ofNight(night, (index) => resting + (index % 9));
  const hrv = ofNight(night, (index) => Math.round(day.user.traits.hrv_rmssd_ms) + (index % 5));
  const seconds = (ms: number) => Math.round(ms / 1000);
  const fields = {
    id,
    day: day.date,
    type: 'long_sleep',
    period: 0,
    bedtime_start: localTime(night.startMs, night.offset_minutes),
    bedtime_end: localTime(night.endMs, night.offset_minutes),
    deep_sleep_duration: seconds(deep),
    light_sleep_duration: seconds(light),
    rem_sleep_duration: seconds(rem),
    awake_time: seconds(awake + unmeasurable),
    total_sleep_duration: seconds(deep + light + rem),
    time_in_bed: seconds(night.endMs - night.startMs),
    latency: 540,
    efficiency: Math.min(100, 88 + changes.versionOf(id)),
    restless_periods: 210,
    average_heart_rate: resting + 4,
    lowest_heart_rate: resting,
    average_hrv: 50,
    average_breath: 14.5,
    sleep_phase_5_min: phasesOf(night),
    heart_rate: heart.array,
    hrv: hrv.array,
    low_battery_alert: false,
  };
  const samples = [
    ...heart.points.map(([ms, value]) => ['heart_rate', ms, value] as const),
    ...hrv.points.map(([ms, value]) => ['heart_rate_variability_rmssd', ms, value] as const),
    ['resting_heart_rate', night.startMs, resting] as const,
    ['respiratory_rate', night.startMs, 14.5] as const,
  ];
  const { startMs, endMs } = night;
  return [{ id, startMs, endMs, availableMs: endMs + hourMs / 2, fields, samples }];
}

// The METs are not in the ledger: it counts samples by the start of their record, which lies in the hours before an instant.
function activityOf(day: SimulatedDay, changes: DayChanges): ListedRecord[] {
  const id = idOf(day, 'activity');
  const startMs = day.startMs + 4 * hourMs;
  const mets = each(startMs, day.endMs, metIntervalMs).map((_, index) => 1 + (index % 7) / 10);
  const fields = {
    id,
    day: day.date,
    timestamp: localTime(startMs, day.offset_minutes),
    score: scoreOf(changes, id),
    steps: 8000 + (hashOf(id) % 4000),
    equivalent_walking_distance: 8123,
    active_calories: 430,
    total_calories: 2440,
    target_calories: 450,
    high_activity_time: 300,
    medium_activity_time: 3000,
    low_activity_time: 12_000,
    resting_time: 28_000,
    sedentary_time: 30_000,
    non_wear_time: 600,
    contributors: { meet_daily_targets: 60, move_every_hour: 100, stay_active: 80 },
    met: {
      interval: metIntervalMs / 1000,
      items: mets,
      timestamp: localTime(startMs, day.offset_minutes),
    },
  };
  return [{ id, startMs, endMs: day.endMs, availableMs: day.endMs, fields }];
}

const workoutsOf = (day: SimulatedDay, { recorded }: DayChanges) => [
  ...day.workouts.map(({ startMs, endMs, plan }) => ({ startMs, endMs, activity: plan.sport })),
  ...recorded.map((one) => ({ ...one, activity: 'running' })),
];

/** A heart rate. Without `isOwn` another collection has it. */
function rate(ms: number, bpm: number, source: string, availableMs: number, isOwn = true): ListedRecord {
  const fields = { bpm, source, timestamp: isoTime(ms) };
  const times = { startMs: ms, endMs: ms, availableMs };
  return { id: `${ms}/${source}`, ...times, fields, samples: isOwn ? [['heart_rate', ms, bpm]] : [] };
}

function each(startMs: number, endMs: number, everyMs: number): number[] {
  const count = Math.max(0, Math.ceil((endMs - startMs) / everyMs));
  return Array.from({ length: count }, (_, index) => startMs + index * everyMs);
}

// A ring sends what it recorded once the night, the workout or the day is over.
function heartRatesOf(day: SimulatedDay, changes: DayChanges): ListedRecord[] {
  const resting = Math.round(day.resting_heart_rate_bpm);
  const { sleep: night } = day;
  return [
    ...each(day.startMs + 30_000, day.endMs, hourMs).map((ms) => rate(ms, resting + 15, 'awake', day.endMs)),
    ...workoutsOf(day, changes).flatMap(({ startMs, endMs }) =>
      each(startMs, endMs, intervalMs).map((ms) => rate(ms, resting + 70, 'workout', endMs)),
    ),
    ...(night === null ? [] : each(night.startMs, night.endMs, intervalMs)).map((ms) =>
      rate(ms, resting, 'sleep', (night?.endMs ?? 0) + hourMs / 2, false),
    ),
  ];
}

const daily = { scope: 'daily', kind: 'other', device: 'Oura Ring' } as const;
const heart = { ...daily, scope: 'extapi:heart_health' } as const;

/** The kinds of data by the names of collections in webhooks. */
export const kinds = {
  sleep: { ...daily, kind: 'sleeps', device: 'Oura Ring, asleep', of: nightOf },
  daily_sleep: {
    ...daily,
    of: (day, changes) =>
      ofMorning(day, 'daily_sleep', (id) => ({
        ...stamped(day),
        score: scoreOf(changes, id),
        contributors: { deep_sleep: 99, efficiency: 84, timing: null },
      })),
  },
  daily_readiness: {
    ...daily,
    of: (day, changes) =>
      ofMorning(day, 'daily_readiness', (id) => ({
        ...stamped(day),
        score: scoreOf(changes, id),
        temperature_deviation: -0.2,
        contributors: { hrv_balance: 80, previous_night: 88 },
      })),
  },
  daily_activity: { ...daily, of: activityOf },
  daily_spo2: {
    ...daily,
    scope: 'spo2',
    of: (day) =>
      ofMorning(day, 'daily_spo2', () => ({ spo2_percentage: { average: day.user.traits.spo2_percent } }), {
        type: 'oxygen_saturation',
        value: day.user.traits.spo2_percent,
      }),
  },
  daily_stress: {
    ...daily,
    of: (day) =>
      ofMorning(day, 'daily_stress', () => ({
        stress_high: 5400,
        recovery_high: 7200,
        day_summary: 'normal',
      })),
  },
  daily_resilience: {
    ...daily,
    scope: 'extapi:stress',
    of: (day) => ofMorning(day, 'daily_resilience', () => ({ level: 'solid', contributors: { stress: 71 } })),
  },
  daily_cardiovascular_age: {
    ...heart,
    of: (day) =>
      ofMorning(day, 'daily_cardiovascular_age', () => ({ vascular_age: day.user.traits.age_years })),
  },
  vo2_max: {
    ...heart,
    of: (day) =>
      ofMorning(day, 'vo2_max', () => ({ ...stamped(day), vo2_max: day.user.traits.vo2_max }), {
        type: 'vo2_max',
        value: day.user.traits.vo2_max,
      }),
  },
  heartrate: { ...daily, scope: 'heartrate', of: heartRatesOf },
  workout: {
    ...daily,
    scope: 'workout',
    kind: 'workouts',
    of: (day, changes) =>
      workoutsOf(day, changes).map(({ startMs, endMs, activity }) => {
        const id = idOf(day, `workout/${startMs}`);
        const times = {
          start_datetime: localTime(startMs, day.offset_minutes),
          end_datetime: localTime(endMs, day.offset_minutes),
        };
        const figures = { calories: 211.5, distance: 1200, intensity: 'moderate', source: 'confirmed' };
        const fields = { id, day: day.date, activity, ...times, ...figures, label: null };
        return { id, startMs, endMs, availableMs: endMs, fields };
      }),
  },
} as const satisfies Readonly<Record<string, ListedKind>>;
