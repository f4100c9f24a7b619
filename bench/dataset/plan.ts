import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SeriesType, seriesOf } from '../../domain/records/series.ts';
import { dayMs } from '../../domain/time/time.ts';
import type { Sizes } from '../sizes.ts';

/** The seed of all values. */
export const seed = 7357;
const version = 1;

/** The first instant of the data set: midnight UTC of a past year. */
export const startMs = Date.UTC(2025, 0, 1);

/** One series: its user, its type and its values. */
export interface SeriesPlan {
  readonly userId: string;
  readonly type: SeriesType;
  readonly low: number;
  readonly high: number;
  /** A salt, so that its values differ from those of other series. */
  readonly salt: number;
}

/** Series with the same sampling interval. */
export interface Cohort {
  readonly everySeconds: number;
  readonly zoneOffsetMinutes: number;
  readonly series: readonly SeriesPlan[];
}

/** The users with data; the data set also contains many users without data. */
export interface Plan {
  readonly sizes: Sizes;
  readonly endMs: number;
  /** Heart rate every second. */
  readonly hertzId: string;
  /** Eight series every minute, without totals of a provider. */
  readonly minuteId: string;
  /** A provider's totals and a few workouts, and a heart rate every minute. */
  readonly totalsId: string;
  readonly ordinaryIds: readonly string[];
  readonly hertz: Cohort;
  readonly minutely: Cohort;
  /** All cohorts but the one at 1 Hz. */
  readonly others: readonly Cohort[];
}

/** The types of the user with eight series, with their least and largest values. */
const minuteTypes: readonly (readonly [SeriesType, low: number, high: number])[] = [
  ['heart_rate', 48, 176],
  ['steps', 0, 140],
  ['energy', 0, 12],
  ['distance_walking_running', 0, 110],
  ['basal_energy', 1, 2],
  ['flights_climbed', 0, 2],
  ['exercise_time', 0, 1],
  ['oxygen_saturation', 90, 100],
];

/** The data set of a size, as data. */
export function planOf(sizes: Sizes): Plan {
  const ordinaryIds = Array.from({ length: sizes.ordinaryUsers }, (_, index) => idOf(`ordinary ${index}`));
  const [hertzId, minuteId, totalsId] = [idOf('hertz'), idOf('minute'), idOf('totals')];
  const heartRate = minuteTypes.slice(0, 1);
  const minutely = cohort(60, -300, [minuteId], minuteTypes);
  return {
    sizes,
    endMs: startMs + sizes.days * dayMs,
    hertzId,
    minuteId,
    totalsId,
    ordinaryIds,
    minutely,
    hertz: cohort(sizes.hertzEverySeconds, 60, [hertzId], heartRate),
    others: [
      minutely,
      cohort(60, 345, [totalsId], heartRate),
      cohort(1800, 120, ordinaryIds, minuteTypes.slice(0, 4)),
    ],
  };
}

/** The number of samples of a plan. */
export function samplesIn({ hertz, others, sizes }: Plan): number {
  const ofCohort = ({ series, everySeconds }: Cohort) =>
    (series.length * sizes.days * dayMs) / 1000 / everySeconds;
  return [hertz, ...others].reduce((sum, one) => sum + ofCohort(one), 0);
}

/** The name of a data set's database. It depends on seed, version, size and migrations. */
export function databaseName(part: string, { name }: Sizes): string {
  const scheme = createHash('sha256');
  for (const file of ['users.sql', 'timeseries.sql'])
    scheme.update(readFileSync(join(import.meta.dirname, '../../migrations/baseline', file)));
  return `bench_${part}_${name}_v${version}_s${seed}_${scheme.digest('hex').slice(0, 8)}`;
}

/** An id that is derived from the seed. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(`${seed} ${text}`).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5');
}

function cohort(
  everySeconds: number,
  zoneOffsetMinutes: number,
  userIds: readonly string[],
  types: typeof minuteTypes,
): Cohort {
  const series = userIds.flatMap((userId, index) =>
    types.map(([type, low, high]) => {
      const salt = seed + index * 1000 + seriesOf(type).id;
      return { userId, type, low, high, salt };
    }),
  );
  return { everySeconds, zoneOffsetMinutes, series };
}
