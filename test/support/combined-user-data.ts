import type { SeriesType } from '../../domain/records/series.ts';
import type { DataSample, UserData } from '../services/summaries/user-data.ts';

/** Combines the data of several users. */
export function together(...lives: readonly UserData[]): UserData {
  return {
    samples: lives.flatMap(({ samples }) => samples),
    dailies: lives.flatMap(({ dailies }) => dailies),
    workouts: lives.flatMap(({ workouts }) => workouts),
    sleeps: lives.flatMap(({ sleeps }) => sleeps),
    epochs: lives.flatMap(({ epochs }) => epochs),
  };
}

const vitals: readonly (readonly [type: SeriesType, value: number])[] = [
  ['weight', 70],
  ['height', 170],
  ['body_fat_percentage', 20],
  ['skeletal_muscle_mass', 30],
  ['body_mass_index', 24],
  ['resting_heart_rate', 50],
  ['heart_rate_variability_sdnn', 60],
  ['body_temperature', 36],
  ['skin_temperature', 33],
  ['blood_pressure_systolic', 110],
  ['blood_pressure_diastolic', 70],
];

/** What the body summary reads, measured at one instant by both providers; `more` is added to each value. */
export function vitalsAt(ms: number, more = 0): UserData {
  const samples = vitals.flatMap(([type, value]): DataSample[] => [
    { provider: 'devicemaker', device: 'Watch 7', type, ms, value: value + more, offset: 0 },
    { provider: 'activitynet', device: 'Bike computer', type, ms: ms + 1000, value: value + more, offset: 0 },
  ]);
  return { samples, dailies: [], workouts: [], sleeps: [], epochs: [] };
}

/**
 * A larger copy of user data with the same days, devices and providers. Each value is larger and each
 * series goes on longer, each workout is there from both providers, each night is longer.
 */
export function fuller(life: UserData): UserData {
  const samples = life.samples.flatMap((one) => [
    { ...one, value: one.value + 3 },
    { ...one, ms: one.ms + 30_000, value: one.value + 7 },
  ]);
  const dailies = life.dailies.map((one) => ({ ...one, totals: allMore(one.totals) }));
  const workouts = life.workouts.flatMap((one) =>
    (['devicemaker', 'activitynet'] as const).map((provider) => ({
      ...one,
      provider,
      meters: (one.meters ?? 0) + 5000,
      kcal: (one.kcal ?? 0) + 500,
      climbed: (one.climbed ?? 0) + 100,
      steps: (one.steps ?? 0) + 1000,
    })),
  );
  const sleeps = life.sleeps.map((one) => ({ ...one, light: one.light + 1200, deep: one.deep + 600 }));
  return { samples, dailies, workouts, sleeps, epochs: life.epochs };
}

const totals = ['steps', 'distanceInMeters', 'floorsClimbed', 'activeTimeInSeconds', 'activeKilocalories'];

function allMore(given: Readonly<Record<string, number>>): Record<string, number> {
  const names = new Set([...totals, ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => [name, (given[name] ?? 0) + 40]));
}
