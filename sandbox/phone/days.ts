import { randomOf } from '../simulation/random.ts';

/**
 * Days of a person with an iPhone and a Watch, in Apple's dialect: no zone offsets, shares as fractions, units of HealthKit.
 * Faults of the data: both devices count the same walk, the phone's clock is `skewMs` ahead, and the phone reports being in
 * bed for the night whose stages the watch has.
 */
export interface DayChoice {
  readonly seed: string;
  /** Midnight of the first day, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly skewMs?: number;
  /** How many times as many records a day has. Default: 1. */
  readonly density?: number;
}

/** A record, a phase of sleep or a workout. */
export interface PhoneItem {
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly [field: string]: unknown;
}

/** The lists of the data of days. */
export type PhoneDays = Readonly<Record<'records' | 'sleep' | 'workouts', readonly PhoneItem[]>>;

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const watch = {
  bundleIdentifier: 'com.apple.health.watch',
  name: 'Watch',
  deviceName: 'Apple Watch',
  deviceType: 'watch',
  deviceModel: 'Watch7,1',
};
const iphone = {
  bundleIdentifier: 'com.apple.health.phone',
  name: 'iPhone',
  deviceName: 'iPhone',
  deviceType: 'phone',
  deviceModel: 'iPhone15,2',
};

/** The data of a span of days, and the steps per day that the best device counted. A day is the same in every span. */
export function phoneDays({ seed, startMs, days, skewMs = 0, density = 1 }: DayChoice): {
  readonly data: PhoneDays;
  readonly steps: readonly number[];
} {
  const made = Array.from({ length: days }, (_, day) => startMs + day * dayMs).map((midnightMs) =>
    dayOf(`${seed}:${new Date(midnightMs).toISOString().slice(0, 10)}`, midnightMs, { skewMs, density }),
  );
  return {
    data: {
      records: made.flatMap(({ records }) => records),
      sleep: made.flatMap(({ sleep }) => sleep),
      workouts: made.flatMap(({ workouts }) => workouts),
    },
    steps: made.map(({ steps }) => steps),
  };
}

const walkMinutes = 10;
const walkEveryMinutes = 30;
const heartEveryMinutes = 5;

function dayOf(
  seed: string,
  midnightMs: number,
  { skewMs, density }: Required<Pick<DayChoice, 'skewMs' | 'density'>>,
) {
  const random = randomOf(seed);
  const records: PhoneItem[] = [];
  let steps = 0;
  let id = 0;
  const add = (type: string, atMs: number, lengthMs: number, value: number, unit: string, source: object) => {
    const skew = source === iphone ? skewMs : 0;
    const iso = (ms: number) => new Date(ms + skew).toISOString().replace(/\.\d+/, '');
    records.push({
      id: `${seed}:${id++}`,
      type: `HKQuantityTypeIdentifier${type}`,
      startDate: iso(atMs),
      endDate: iso(atMs + lengthMs),
      zoneOffset: null,
      source,
      value,
      unit,
      parentId: null,
      metadata: null,
    });
  };
  for (let minute = 0; minute < 1440; minute += heartEveryMinutes / density)
    add(
      'HeartRate',
      midnightMs + minute * minuteMs,
      0,
      random.whole(52, minute > 420 ? 130 : 64),
      'count/min',
      watch,
    );
  for (let minute = 480; minute < 1260; minute += walkEveryMinutes / density) {
    const count = Math.round(random.whole(0, 900) / density);
    steps += count;
    const at = midnightMs + minute * minuteMs;
    const length = (walkMinutes * minuteMs) / density;
    add('StepCount', at, length, count, 'count', watch);
    // The phone lies on the table for a part of the day.
    if (random.chance(0.7))
      add('StepCount', at, length, Math.round(count * random.between(0.85, 1.05)), 'count', iphone);
    add('DistanceWalkingRunning', at, length, count * 0.75, 'm', watch);
    add('ActiveEnergyBurned', at, length, count * 0.04, 'Cal', watch);
  }
  add('BodyMass', midnightMs + 7 * hourMs, 0, 70 + random.spread(1), 'kg', iphone);
  add('BodyFatPercentage', midnightMs + 7 * hourMs, 0, 0.2 + random.spread(0.01), '%', iphone);
  return { records, steps, sleep: nightOf(seed, midnightMs, skewMs), workouts: [runOf(seed, midnightMs)] };
}

function nightOf(seed: string, midnightMs: number, skewMs: number): PhoneItem[] {
  const stages = ['core', 'deep', 'rem', 'core', 'awake', 'core', 'rem', 'deep', 'core'];
  const phase = (id: string, stage: string, atMs: number, endMs: number, source: object) => ({
    id: `${seed}:night:${id}`,
    parentId: null,
    stage,
    startDate: new Date(atMs).toISOString(),
    endDate: new Date(endMs).toISOString(),
    zoneOffset: null,
    source,
    values: null,
    metadata: null,
  });
  const start = midnightMs - hourMs;
  const length = 50 * minuteMs;
  return [
    phase('bed', 'in_bed', start - 20 * minuteMs + skewMs, start + stages.length * length + skewMs, iphone),
    ...stages.map((stage, index) =>
      phase(String(index), stage, start + index * length, start + (index + 1) * length, watch),
    ),
  ];
}

function runOf(seed: string, midnightMs: number): PhoneItem {
  const start = midnightMs + 18 * hourMs;
  return {
    id: `${seed}:run`,
    parentId: null,
    type: 'running',
    startDate: new Date(start).toISOString(),
    endDate: new Date(start + 40 * minuteMs).toISOString(),
    zoneOffset: null,
    source: watch,
    title: null,
    notes: null,
    values: [
      { type: 'duration', value: 2340, unit: 's' },
      { type: 'activeEnergyBurned', value: 420, unit: 'kcal' },
      { type: 'distance', value: 7100, unit: 'm' },
      { type: 'averageHeartRate', value: 148, unit: 'bpm' },
    ],
    segments: null,
    laps: null,
    route: null,
    samples: null,
    metadata: null,
  };
}
