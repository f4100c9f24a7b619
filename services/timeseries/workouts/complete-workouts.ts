import type { Queryable } from '../../../mixins/database/database.ts';
import type { WorkoutRow } from '../queries/select-workouts.ts';
import { selectHeartRates } from './queries/select-heart-rates.ts';

/**
 * Adds heart rates that the provider did not send, from samples of the same provider. Computed on read, because the
 * samples of a workout often arrive after it.
 */
export async function completeWorkouts(
  database: Queryable,
  userId: string,
  rows: readonly WorkoutRow[],
): Promise<WorkoutRow[]> {
  const lacking = rows.filter((row) => row.avg_heart_rate_bpm === null || row.max_heart_rate_bpm === null);
  if (lacking.length === 0) return [...rows];
  const found = await selectHeartRates(database, userId, lacking);
  const byRow = new Map(found.map((one) => [lacking[one.index], one]));
  return rows.map((row) => {
    const measured = byRow.get(row);
    if (measured === undefined) return row;
    return {
      ...row,
      avg_heart_rate_bpm: row.avg_heart_rate_bpm ?? Math.round(measured.average),
      max_heart_rate_bpm: row.max_heart_rate_bpm ?? Math.round(measured.highest),
    };
  });
}
