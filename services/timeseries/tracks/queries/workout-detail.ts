import type { WorkoutExtras } from '../../../../domain/workouts/details.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** As it is stored: without `extra` if there is none. */
type StoredExtras = Omit<WorkoutExtras, 'extra'> & Partial<Pick<WorkoutExtras, 'extra'>>;

/** What data types contain of a workout beside its fields. `track_hash` is the version of the complete track. */
export interface DetailRow {
  readonly parts: Readonly<Record<string, StoredExtras>>;
  readonly track_of: string | null;
  readonly track_hash: string | null;
}

const upsert = {
  name: 'timeseries-upsert-workout-detail',
  text: `
    insert into timeseries.workout_detail as d (workout_id, user_id, parts)
    values ($1, $2, jsonb_build_object($3::text, $4::jsonb))
    on conflict (workout_id) do update set parts = d.parts || excluded.parts
      where d.user_id = $2 and d.parts -> $3::text is distinct from excluded.parts -> $3::text`,
};

/** Stores what a data type contains of a workout, in place of what it contained before. */
export async function upsertDetail(
  transaction: Queryable,
  userId: string,
  workoutId: string,
  dataType: string,
  { extra, ...rest }: WorkoutExtras,
): Promise<void> {
  // Rows of the previous version have no `extra`: the same content again changes none of them.
  const part = extra === null ? rest : { ...rest, extra };
  await transaction.query(upsert, [workoutId, userId, dataType, JSON.stringify(part)]);
}

const select = {
  name: 'timeseries-select-workout-detail',
  text: `
    select parts, track_of, track_hash from timeseries.workout_detail where workout_id = $2 and user_id = $1`,
};

/** The details of a workout; undefined if there are none. */
export async function selectDetail(
  database: Queryable,
  userId: string,
  workoutId: string,
): Promise<DetailRow | undefined> {
  const [row] = await database.query<DetailRow>(select, [userId, workoutId]);
  return row;
}

const selectMany = {
  name: 'timeseries-select-workout-details',
  text: `
    select workout_id, parts, track_of, track_hash from timeseries.workout_detail
    where user_id = $1 and workout_id = any($2::uuid[])`,
};

/** The details of workouts, by their ids. */
export async function selectDetails(
  database: Queryable,
  userId: string,
  workouts: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, DetailRow>> {
  const ids = workouts.map(({ id }) => id);
  const rows = await database.query<DetailRow & { workout_id: string }>(selectMany, [userId, ids]);
  return new Map(rows.map(({ workout_id, ...row }) => [workout_id, row]));
}
