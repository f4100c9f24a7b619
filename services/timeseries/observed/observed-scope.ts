import {
  dayMeasures,
  keysOf,
  type ObservedName,
  pressureTypes,
  workoutMeasures,
} from '../../../domain/fhir/observed.ts';
import { isSeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type SeriesRow, selectSeries } from '../queries/select-series.ts';

/** What is read of a user: the series by how they are stored, and the kinds of records. */
export interface ObservedScope {
  readonly userId: string;
  readonly series: ReadonlyMap<number, SeriesRow>;
  /** The ids of series of samples, and those of series of intervals. */
  readonly samples: readonly number[];
  readonly intervals: readonly number[];
  readonly sleep: boolean;
  readonly workouts: readonly (keyof typeof workoutMeasures | 'workout' | 'workout_activity')[];
  readonly days: readonly (keyof typeof dayMeasures)[];
}

/** The scope of the names, or of all. */
export async function observedScope(
  database: Queryable,
  userId: string,
  names: readonly ObservedName[] | null,
): Promise<ObservedScope> {
  const isWanted = (name: ObservedName) => names === null || names.includes(name);
  const typeIds = names === null ? null : names.flatMap(typesOf);
  const rows = typeIds?.length === 0 ? [] : await selectSeries(database, userId, typeIds);
  return {
    userId,
    series: new Map(rows.map((row) => [row.id, row])),
    samples: rows.filter((row) => !row.is_interval).map(({ id }) => id),
    intervals: rows.filter((row) => row.is_interval).map(({ id }) => id),
    sleep: isWanted('sleep'),
    workouts: (['workout', 'workout_activity', ...keysOf(workoutMeasures)] as const).filter(isWanted),
    days: keysOf(dayMeasures).filter(isWanted),
  };
}

function typesOf(name: ObservedName): number[] {
  if (name === 'blood_pressure') return pressureTypes.map((type) => seriesOf(type).id);
  return isSeriesType(name) ? [seriesOf(name).id] : [];
}
