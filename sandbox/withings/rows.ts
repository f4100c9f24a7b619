import {
  activeKilocalories,
  countedMinutes,
  footMeters,
  hundredths,
  stepsIn,
} from '../day-simulation/counts.ts';
import type { SimulatedDay, Sleep } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import type { Minute } from '../day-simulation/minutes.ts';
import { stageTotals } from '../day-simulation/night.ts';
import type { SportName } from '../day-simulation/sports.ts';
import { totalsOf } from '../day-simulation/workout.ts';
import { hashOf, noiseOf } from '../simulation/random.ts';

/** The calls whose rows have a time of modification. */
export type RowKind = 'measures' | 'days' | 'workouts' | 'sleep';

/** A row of an answer. It exists from `availableMs` on. */
export interface Row {
  readonly id: string;
  readonly startMs: number;
  readonly availableMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const minuteMs = 60_000;
const seconds = (ms: number) => Math.floor(ms / 1000);
const watch = { deviceid: 'a1b2', model: 'ScanWatch' };

/** The rows of a kind of one local day, as they are when the day has ended. */
export function rowsOf(day: SimulatedDay, kind: RowKind): Row[] {
  return { measures, days, workouts, sleep: nights }[kind](day);
}

// Weight after getting up; blood pressure on some days, of which one in four may be of another person.
function measures(day: SimulatedDay): Row[] {
  const { user, sleep, startMs } = day;
  const chance = hashOf(`${user.seed}/${day.date}/measures`);
  const atMs = (sleep?.endMs ?? startMs + 7 * 60 * minuteMs) + 15 * minuteMs;
  const group = (name: string, fields: object, ms: number): Row => ({
    id: String(hashOf(`${user.seed}/${day.date}/${name}`)),
    startMs: ms,
    availableMs: ms + minuteMs,
    fields: { date: seconds(ms), created: seconds(ms), category: 1, timezone: user.traits.zone, ...fields },
  });
  const kilograms = user.traits.weight_kg + noiseOf(`${user.seed}/weight`)(atMs, 12 * 1440 * minuteMs);
  const weight = group(
    'weight',
    { attrib: 0, deviceid: 'c3d4', model: 'Body Cardio', measures: scaleOf(kilograms) },
    atMs,
  );
  if (chance % 3 > 0) return [weight];
  const attrib = chance % 4 === 0 ? 1 : 0;
  const pressure = { attrib, deviceid: 'e5f6', model: 'BPM Connect', measures: cuffOf(day, chance) };
  return [weight, group('pressure', pressure, atMs + 5 * minuteMs)];
}

function scaleOf(kilograms: number) {
  const grams = Math.round(kilograms * 1000);
  return [
    { type: 1, value: grams, unit: -3 },
    { type: 6, value: 19_250, unit: -3 },
    { type: 76, value: Math.round(grams * 0.42), unit: -3 },
    { type: 77, value: Math.round(grams * 0.59), unit: -3 },
    { type: 88, value: Math.round(grams * 0.04), unit: -3 },
    { type: 170, value: Math.round(kilograms / 2), unit: -1 },
    { type: 226, value: Math.round(kilograms * 21.6 + 370), unit: 0 },
  ];
}

function cuffOf({ user, resting_heart_rate_bpm }: SimulatedDay, chance: number) {
  const top = Math.round(104 + user.traits.age_years * 0.4) + (chance % 9);
  return [
    { type: 9, value: 66 + (chance % 17), unit: 0 },
    { type: 10, value: top, unit: 0 },
    { type: 11, value: resting_heart_rate_bpm + 8, unit: 0 },
  ];
}

// On some days another maker's row of the same day is imported, with more steps.
function days(day: SimulatedDay): Row[] {
  const { user, date, startMs, endMs } = day;
  const minutes = countedMinutes(day, endMs);
  const chance = hashOf(`${user.seed}/${date}/imported`);
  const active = activeKilocalories(user, minutes);
  const rates = day.heart_rates.filter((rate) => rate > 0);
  const own = {
    date,
    timezone: user.traits.zone,
    brand: 1,
    is_tracker: true,
    ...watch,
    ...totals(minutes),
    calories: active,
    totalcalories: active + 1_600,
    ...(rates.length === 0
      ? {}
      : {
          hr_average: Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length),
          hr_min: rates.reduce((a, b) => Math.min(a, b)),
          hr_max: rates.reduce((a, b) => Math.max(a, b)),
        }),
  };
  const row = (id: string, fields: object): Row => ({
    id,
    startMs,
    availableMs: endMs + 10 * minuteMs,
    fields: { ...fields },
  });
  const imported = {
    ...own,
    deviceid: null,
    model: null,
    brand: 18,
    is_tracker: false,
    steps: own.steps + 500,
  };
  return [row(`${date} own`, own), ...(chance % 5 === 0 ? [row(`${date} imported`, imported)] : [])];
}

function totals(minutes: readonly Minute[]) {
  const within = (from: number, to: number) =>
    minutes.filter(({ met, state }) => met >= from && met < to && state !== 'asleep').length * 60;
  const climbed = minutes.reduce((sum, one) => sum + (one.on_foot ? one.climb_meters : 0), 0);
  return {
    steps: stepsIn(minutes),
    distance: hundredths(footMeters(minutes)),
    elevation: Math.floor(climbed / 3),
    soft: within(1.6, 3),
    moderate: within(3, 6),
    intense: within(6, 100),
  };
}

const categories: Readonly<Record<SportName, number>> = {
  run: 2,
  intervals: 2,
  ride: 6,
  indoor_ride: 308,
  swim: 7,
  hike: 3,
  walk: 1,
  strength: 16,
  yoga: 28,
  row: 187,
};

function workouts(day: SimulatedDay): Row[] {
  return day.workouts.map((workout) => {
    const { active_kilocalories, meters } = totalsOf(day, workout);
    const pause = hashOf(`${day.user.seed}/${workout.startMs}`) % 60;
    return {
      id: String(hashOf(`${day.user.seed}/${workout.startMs}/workout`)),
      startMs: workout.startMs,
      availableMs: workout.endMs + 2 * minuteMs,
      fields: {
        category: categories[workout.plan.sport],
        timezone: day.user.traits.zone,
        attrib: 0,
        ...watch,
        startdate: seconds(workout.startMs),
        enddate: seconds(workout.endMs),
        date: day.date,
        data: {
          calories: active_kilocalories,
          distance: hundredths(meters ?? 0),
          steps: stepsIn(workout.minutes),
          hr_average: workout.avg_heart_rate_bpm,
          hr_max: workout.max_heart_rate_bpm,
          pause_duration: pause,
        },
      },
    };
  });
}

/** The id of a night in its row. */
function nightId(day: SimulatedDay): string {
  return String(hashOf(`${day.user.seed}/${day.date}/night`));
}

function nights(day: SimulatedDay): Row[] {
  const { sleep } = day;
  if (sleep === null) return [];
  const times = stageTotals(sleep.stages);
  const asleep = seconds(times.light + times.deep + times.rem);
  const fields = {
    timezone: day.user.traits.zone,
    model: 16,
    date: day.date,
    completed: true,
    startdate: seconds(sleep.startMs),
    enddate: seconds(sleep.endMs),
    data: {
      total_timeinbed: seconds(sleep.endMs - sleep.startMs),
      total_sleep_time: asleep,
      lightsleepduration: seconds(times.light),
      deepsleepduration: seconds(times.deep),
      remsleepduration: seconds(times.rem),
      sleep_score: 60 + (hashOf(nightId(day)) % 40),
      waso: seconds(times.awake),
      wakeupcount: sleep.stages.filter(({ stage }) => stage === 'awake').length,
    },
  };
  const availableMs = sleep.endMs + 10 * minuteMs;
  return [{ id: nightId(day), startMs: sleep.startMs, availableMs, fields }];
}

const states = { awake: 0, light: 1, deep: 2, rem: 3, unmeasurable: 5 } as const;

/** The stages of a night with heart rates, as `get` returns them. */
export function stagesOf(day: SimulatedDay, { stages }: Sleep): Record<string, unknown>[] {
  return stages.map(({ stage, startMs, endMs }) => ({
    startdate: seconds(startMs),
    enddate: seconds(endMs),
    state: states[stage],
    ...watch,
    hr: Object.fromEntries(ratesIn(day, startMs, endMs)),
  }));
}

// One value in ten minutes, of the part of the night that lies on the day of waking up.
function ratesIn(
  { startMs: dayMs, heart_rates }: SimulatedDay,
  startMs: number,
  endMs: number,
): [number, number][] {
  const everyMs = 10 * minuteMs;
  const all: [number, number][] = [];
  for (let ms = Math.ceil(startMs / everyMs) * everyMs; ms < endMs; ms += everyMs) {
    const rate = heart_rates[Math.floor((ms - dayMs) / heartRateEveryMs)] ?? 0;
    if (ms >= dayMs && rate > 0) all.push([seconds(ms), rate]);
  }
  return all;
}

const slotMinutes = 10;

/** Activity of ten minutes each, by the seconds of its start, until an instant. */
export function intradayOf(day: SimulatedDay, untilMs: number): [number, Record<string, unknown>][] {
  const minutes = countedMinutes(day, untilMs);
  const slots = Map.groupBy(minutes, ({ startMs }) => Math.floor(startMs / (slotMinutes * minuteMs)));
  return [...slots].flatMap(([slot, own]): [number, Record<string, unknown>][] => {
    const steps = stepsIn(own);
    if (own.length < slotMinutes || steps === 0) return [];
    const fields = {
      steps,
      distance: hundredths(footMeters(own)),
      calories: activeKilocalories(day.user, own),
    };
    return [[slot * slotMinutes * 60, { ...fields, duration: slotMinutes * 60, elevation: 0, ...watch }]];
  });
}
