import type { SeriesType } from '../../../domain/records/series.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { seeded } from '../timeseries/model.ts';

/** The data of a user as lists of measurements, which are sent and from which expected summaries are computed. */
export interface UserData {
  readonly samples: DataSample[];
  readonly dailies: DataDaily[];
  readonly workouts: DataWorkout[];
  readonly sleeps: DataSleep[];
  /** In the order of their delivery. */
  readonly epochs: DataEpoch[];
}

/** A sample of a provider. Times are UTC milliseconds, `offset` is the local offset in minutes. */
export interface DataSample {
  readonly provider: 'devicemaker' | 'activitynet';
  readonly device: string;
  readonly type: SeriesType;
  readonly ms: number;
  readonly value: number;
  readonly offset: number;
}

export interface DataDaily {
  readonly device: string;
  readonly date: string;
  readonly startMs: number;
  readonly seconds: number;
  readonly offset: number;
  readonly totals: Readonly<Record<string, number>>;
  readonly beats: readonly (readonly [afterSeconds: number, bpm: number])[];
}

/** The part of a slot in one delivery of the device maker. */
export interface DataEpoch {
  readonly type: 'WALKING' | 'RUNNING' | 'SEDENTARY';
  readonly startMs: number;
  /** The length of the slot. */
  readonly seconds: number;
  readonly offset: number;
  readonly active: number;
  readonly steps: number;
  readonly kcal: number;
  readonly meters: number;
}

export interface DataWorkout {
  readonly provider: 'devicemaker' | 'activitynet';
  readonly device: string;
  readonly type: WorkoutType;
  readonly startMs: number;
  readonly seconds: number;
  readonly offset: number;
  readonly meters?: number;
  readonly kcal?: number;
  readonly climbed?: number;
  readonly steps?: number;
}

export interface DataSleep {
  readonly device: string;
  readonly date: string;
  readonly startMs: number;
  readonly offset: number;
  readonly deep: number;
  readonly light: number;
  readonly rem: number;
  /** Awake stretches within the sleep, [seconds after the start, length]. */
  readonly awake: readonly (readonly [after: number, length: number])[];
  readonly naps: readonly { readonly startMs: number; readonly seconds: number }[];
  readonly oxygen: readonly (readonly [afterSeconds: number, percent: number])[];
  readonly breaths: readonly (readonly [afterSeconds: number, perMinute: number])[];
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const firstDay = Date.UTC(2025, 2, 10);

function emptyLife(): UserData {
  return { samples: [], dailies: [], workouts: [], sleeps: [], epochs: [] };
}

/** Quarters are exact in binary: sums of them are the same in any order. */
function draw(seed: number) {
  const next = seeded(seed);
  return {
    whole: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    quarter: (least: number, most: number) => least + Math.floor(next() * (most - least) * 4) / 4,
    chance: (share: number) => next() < share,
  };
}

const movement: readonly SeriesType[] = [
  'steps',
  'distance_walking_running',
  'distance_cycling',
  'energy',
  'basal_energy',
  'flights_climbed',
  'exercise_time',
];

function wear(
  life: UserData,
  seed: number,
  device: string,
  days: number,
  offset: number,
  share: number,
): void {
  const { whole, quarter, chance } = draw(seed);
  for (let ms = firstDay; ms < firstDay + days * day; ms += 47 * minute) {
    if (!chance(share)) continue;
    const from = { provider: 'devicemaker' as const, device, offset };
    for (const type of movement)
      life.samples.push({
        ...from,
        type,
        ms: ms + whole(0, 40) * minute,
        value: type === 'steps' ? whole(0, 900) : quarter(0, 90),
      });
    life.samples.push({ ...from, type: 'heart_rate', ms: ms + whole(0, 40) * minute, value: whole(48, 171) });
  }
}

/** A watch and a band on two wrists: the same steps, twice; no daily record. */
export function twoDevices(): UserData {
  const life = emptyLife();
  wear(life, 1, 'Watch 7', 12, -300, 0.9);
  wear(life, 2, 'Band 2', 12, -300, 0.85);
  return life;
}

/** A phone in a pocket: hours and whole days without anything, and no heart rate. */
export function phoneWithGaps(): UserData {
  const life = emptyLife();
  wear(life, 3, 'Phone', 40, 60, 0.06);
  const dark = (ms: number) => Math.floor((ms - firstDay) / day) % 5 > 2;
  const kept = life.samples.filter(({ type, ms }) => type !== 'heart_rate' && !dark(ms));
  return { ...life, samples: kept };
}

/** A zone of +5:45, worn day and night, no daily record. */
export function quarterHourZone(): UserData {
  const life = emptyLife();
  wear(life, 4, 'Watch 7', 10, 345, 1);
  return life;
}

/** Workouts only, some without any figure, some around midnight. */
export function onlyWorkouts(): UserData {
  const life = emptyLife();
  const { whole, quarter, chance } = draw(5);
  for (let index = 0; index < 30; index += 1)
    life.workouts.push({
      provider: 'devicemaker',
      device: chance(0.5) ? 'Watch 7' : 'Bike computer',
      type: chance(0.5) ? 'running' : 'cycling',
      startMs: firstDay + index * 17 * hour + whole(0, 59) * minute,
      seconds: whole(600, 7200),
      offset: -420,
      ...(chance(0.7) ? { meters: quarter(1000, 30_000), climbed: quarter(0, 300) } : {}),
      ...(chance(0.6) ? { kcal: quarter(50, 900), steps: whole(100, 9000) } : {}),
    });
  return life;
}

/** A watch and a bicycle computer that often record the same ride, each with other figures, or the computer in parts. */
export function twoRecorders(): UserData {
  const life = emptyLife();
  const { whole, quarter, chance } = draw(11);
  for (let index = 0; index < 40; index += 1) {
    const startMs = firstDay + Math.floor(index / 2) * day + (index % 2 === 0 ? 7 : 13) * hour;
    const recording = (device: string, after: number, seconds: number): DataWorkout => ({
      ...{ provider: 'devicemaker', device, startMs: startMs + after * 1000, seconds, offset: 60 },
      type: chance(0.8) ? 'cycling' : 'running',
      ...(chance(0.8) ? { meters: quarter(1000, 30_000) } : {}),
      ...(chance(0.8) ? { climbed: quarter(0, 300), kcal: quarter(50, 900) } : {}),
    });
    const seconds = whole(3600, 7200);
    if (chance(0.8)) life.workouts.push(recording('Watch 7', whole(0, 300), seconds));
    if (chance(0.5)) life.workouts.push(recording('Bike computer', whole(0, 2500), seconds));
    else {
      life.workouts.push(recording('Bike computer', 0, 1500));
      life.workouts.push(recording('Bike computer', 1600, seconds - 1600));
    }
  }
  return life;
}

/** Both providers: daily records with missing fields, rides that both send, and samples of both. */
export function bothProviders(): UserData {
  const life = emptyLife();
  wear(life, 6, 'Watch 7', 9, 120, 0.7);
  const { whole, quarter, chance } = draw(7);
  for (let index = 0; index < 9; index += 1) {
    const startMs = firstDay + index * day - 2 * hour;
    const totals: Record<string, number> = {
      ...(chance(0.7) ? { steps: whole(0, 20_000) } : {}),
      ...(chance(0.7) ? { distanceInMeters: quarter(0, 9000), floorsClimbed: whole(0, 30) } : {}),
      ...(chance(0.7) ? { activeTimeInSeconds: whole(0, 20_000) } : {}),
      ...(chance(0.7) ? { moderateIntensityDurationInSeconds: whole(0, 9000) } : {}),
      ...(chance(0.9) ? { vigorousIntensityDurationInSeconds: whole(0, 9000) } : {}),
      ...(chance(0.5) ? { activeKilocalories: whole(0, 900) } : {}),
      ...(chance(0.5) ? { bmrKilocalories: whole(1200, 2100) } : {}),
      ...(chance(0.5) ? { minHeartRateInBeatsPerMinute: whole(40, 60) } : {}),
      ...(chance(0.5)
        ? { averageHeartRateInBeatsPerMinute: whole(60, 80), maxHeartRateInBeatsPerMinute: whole(80, 190) }
        : {}),
    };
    const date = new Date(startMs + 2 * hour).toISOString().slice(0, 10);
    if (chance(0.8))
      life.dailies.push({
        device: 'Watch 7',
        date,
        startMs,
        seconds: 86_400,
        offset: 120,
        totals,
        beats: [],
      });
    const ride = {
      device: 'Watch 7',
      type: 'cycling' as const,
      startMs: startMs + 10 * hour,
      seconds: 3600,
      offset: 120,
    };
    life.workouts.push({
      ...ride,
      provider: 'devicemaker',
      meters: quarter(9000, 30_000),
      climbed: quarter(0, 300),
    });
    life.workouts.push({
      ...ride,
      provider: 'activitynet',
      startMs: ride.startMs + minute,
      meters: quarter(9000, 30_000),
      kcal: whole(100, 900),
    });
    if (chance(0.5))
      life.workouts.push({
        ...ride,
        provider: 'activitynet',
        device: 'Bike computer',
        startMs: startMs + 15 * hour,
        climbed: quarter(0, 300),
      });
    for (let beat = 0; beat < 20; beat += 1)
      life.samples.push({
        provider: 'activitynet',
        device: 'Bike computer',
        type: 'heart_rate',
        ms: startMs + 10 * hour + beat * minute,
        value: whole(100, 180),
        offset: 120,
      });
  }
  return life;
}

/** From Tokyo to Los Angeles on 14 March: the clock is set at take-off, and the day lasts 41 hours. */
export function traveller(): UserData {
  const life = emptyLife();
  const { whole, quarter } = draw(8);
  const takeOff = Date.UTC(2025, 2, 14, 8);
  const offsetAt = (ms: number) => (ms < takeOff ? 540 : -480);
  for (let ms = Date.UTC(2025, 2, 11, 15); ms < Date.UTC(2025, 2, 17); ms += 13 * minute)
    for (const type of movement)
      life.samples.push({
        provider: 'devicemaker',
        device: 'Watch 7',
        type,
        ms,
        value: quarter(0, 60),
        offset: offsetAt(ms),
      });
  const record = (date: string, startMs: number, endMs: number): DataDaily => ({
    device: 'Watch 7',
    date,
    startMs,
    seconds: (endMs - startMs) / 1000,
    offset: offsetAt(startMs),
    totals: { distanceInMeters: quarter(0, 9000), activeTimeInSeconds: whole(0, 9000) },
    beats: Array.from(
      { length: Math.floor((endMs - startMs) / (5 * minute)) },
      (_, index) => [index * 300, whole(45, 150)] as const,
    ),
  });
  const midnight = (date: string, offset: number) => Date.parse(`${date}T00:00:00Z`) - offset * minute;
  life.dailies.push(
    record('2025-03-12', midnight('2025-03-12', 540), midnight('2025-03-13', 540)),
    record('2025-03-14', midnight('2025-03-14', 540), takeOff),
    record('2025-03-14', takeOff, midnight('2025-03-15', -480)),
    record('2025-03-15', midnight('2025-03-15', -480), midnight('2025-03-16', -480)),
  );
  return life;
}

/** Daylight saving time begins on 30 March: a day of 23 hours and a night with an hour less. */
export function daylightSaving(): UserData {
  const life = emptyLife();
  const { whole, quarter } = draw(9);
  const change = Date.UTC(2025, 2, 30, 1);
  const offsetAt = (ms: number) => (ms < change ? 60 : 120);
  for (let ms = Date.UTC(2025, 2, 28); ms < Date.UTC(2025, 3, 1); ms += 10 * minute) {
    const from = { provider: 'devicemaker' as const, device: 'Watch 7', ms, offset: offsetAt(ms) };
    life.samples.push({ ...from, type: 'steps', value: whole(0, 300) });
    life.samples.push({ ...from, type: 'heart_rate', value: whole(45, 150) });
    life.samples.push({ ...from, type: 'heart_rate_variability_sdnn', value: quarter(20, 90) });
  }
  for (const date of ['2025-03-29', '2025-03-30', '2025-03-31']) {
    const startMs = Date.parse(`${date}T00:00:00Z`) - 2 * hour + whole(0, 50) * minute;
    life.sleeps.push(nightOf(date, startMs, offsetAt(startMs), whole));
  }
  return life;
}

type ProductWithSandbox = (least: number, most: number) => number;

function nightOf(date: string, startMs: number, offset: number, whole: ProductWithSandbox): DataSleep {
  const [deep, light, rem] = [whole(1200, 6000), whole(6000, 16_000), whole(600, 6000)];
  const every = (seconds: number, value: () => number) =>
    Array.from({ length: 12 }, (_, index) => [index * seconds, value()] as const);
  return {
    device: 'Watch 7',
    date,
    startMs,
    offset,
    deep,
    light,
    rem,
    awake: [
      [1800, whole(60, 900)],
      [3000, whole(60, 900)],
    ],
    naps: [],
    oxygen: every(900, () => whole(90, 99)),
    breaths: every(420, () => whole(48, 72) / 4),
  };
}

/** Nights in two parts with an hour between, over midnight; naps, and days with a nap only. */
export function brokenNights(): UserData {
  const life = emptyLife();
  const { whole, quarter } = draw(10);
  for (let index = 0; index < 14; index += 1) {
    const midnight = firstDay + index * day;
    const date = new Date(midnight).toISOString().slice(0, 10);
    if (index % 4 !== 3) {
      const first = nightOf(date, midnight - 3 * hour + whole(0, 59) * minute, 0, whole);
      life.sleeps.push({ ...first, deep: whole(600, 3000), light: whole(3600, 5400), rem: 0 });
    }
    if (index % 3 === 1) life.sleeps.push({ ...nightOf(date, midnight + 5 * hour, 0, whole), light: 6000 });
    const [nap] = index % 4 > 1 ? [{ startMs: midnight + 13 * hour, seconds: whole(600, 5400) }] : [];
    if (nap !== undefined)
      life.sleeps.push({
        ...nightOf(date, midnight + 12 * hour, 0, whole),
        deep: 0,
        light: 0,
        rem: 0,
        awake: [],
        naps: [nap],
        oxygen: [],
        breaths: [],
      });
    for (let ms = midnight - 4 * hour; ms < midnight + 15 * hour; ms += 7 * minute) {
      const from = { provider: 'devicemaker' as const, device: 'Watch 7', ms, offset: 0 };
      life.samples.push({ ...from, type: 'heart_rate', value: whole(40, 80) });
      if (index % 2 === 0)
        life.samples.push({ ...from, type: 'heart_rate_variability_sdnn', value: quarter(20, 90) });
      life.samples.push({ ...from, type: 'heart_rate_variability_rmssd', value: quarter(20, 90) });
    }
  }
  return life;
}
