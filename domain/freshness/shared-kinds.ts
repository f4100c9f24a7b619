import type { z } from 'zod';
import { SharedData } from '../provider/provider.ts';
import type { PulledType } from '../provider/pulled-provider.ts';
import type { ScoreKind } from '../records/scores.ts';
import type { SeriesType } from '../records/series.ts';

/**
 * A kind of data that is expected again and again. They are those that the connect page names. Blood oxygen is expected with the
 * heart rate, routes with the workouts.
 */
export const FreshKind = SharedData.exclude(['oxygen_saturation', 'profile', 'routes']);
export type FreshKind = z.infer<typeof FreshKind>;

/** Series of the same kind. A type that stands in none comes irregularly, and nothing is expected of it. */
const seriesOf: Partial<Readonly<Record<FreshKind, readonly SeriesType[]>>> = {
  heart_rate: [
    ...(['heart_rate', 'resting_heart_rate', 'heart_rate_variability_sdnn'] as const),
    ...(['heart_rate_variability_rmssd', 'walking_heart_rate_average', 'respiratory_rate'] as const),
    'oxygen_saturation',
  ],
  daily_activity: [
    ...(['steps', 'energy', 'basal_energy', 'stand_time', 'exercise_time', 'flights_climbed'] as const),
    ...(['average_met', 'distance_walking_running', 'push_count'] as const),
  ],
  stress: ['devicemaker_stress_level', 'devicemaker_body_battery', 'recovery_score'],
  body: [
    ...(['weight', 'body_fat_percentage', 'body_mass_index', 'lean_body_mass', 'body_fat_mass'] as const),
    ...(['skeletal_muscle_mass', 'bone_mass', 'body_water_mass'] as const),
  ],
  blood_pressure: ['blood_pressure_systolic', 'blood_pressure_diastolic'],
  glucose: ['blood_glucose', 'insulin_delivery'],
  nutrition: ['hydration'],
};

const kinds = FreshKind.options;
const kindOfSeries: ReadonlyMap<string, FreshKind> = new Map(
  kinds.flatMap((kind) => (seriesOf[kind] ?? []).map((type) => [type, kind] as const)),
);

/** Scores of a day arrive with its totals, whose changes name no provider. */
const kindOfScore: ReadonlyMap<string, FreshKind> = new Map<ScoreKind, FreshKind>([
  ['activity', 'daily_activity'],
  ['strain', 'daily_activity'],
  ['stress', 'stress'],
  ['body_battery', 'stress'],
]);

/** The kind that a change of the change log brings, by its type, and the type of its series or the kind of its score. */
export function kindOfChange(type: string, detail: string | null): FreshKind | null {
  if (type.startsWith('workout.')) return 'activities';
  if (type.startsWith('sleep.')) return 'sleep';
  const known = type.startsWith('score.') ? kindOfScore : kindOfSeries;
  return (detail === null ? undefined : known.get(detail)) ?? null;
}

const kindOfRecords: Readonly<
  Record<NonNullable<PulledType['replaces']['records']>[number], FreshKind | null>
> = {
  workouts: 'activities',
  sleeps: 'sleep',
  days: 'daily_activity',
  others: null,
  scores: null,
};

/** The kinds of data that a read of a type brings, by what it replaces. */
export function kindsOfPulled({ replaces }: Pick<PulledType, 'replaces'>): ReadonlySet<FreshKind> {
  const { series = [], intervals = [], records = [] } = replaces;
  const found = [
    ...[...series, ...intervals].map((type) => kindOfSeries.get(type)),
    ...records.map((one) => kindOfRecords[one]),
  ];
  return new Set(found.filter((kind) => kind !== undefined && kind !== null));
}
