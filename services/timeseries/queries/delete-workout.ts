import type { Queryable, Statement } from '../../../mixins/database.ts';

/** A workout that was just deleted. */
export interface DeletedWorkout {
  readonly id: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const named = 'where user_id = $1 and provider = $2 and key = $3';
const shown = `id, device, (extract(epoch from start_time) * 1000)::float8 as start_ms,
  (extract(epoch from end_time) * 1000)::float8 as end_ms`;

const mark: Statement = {
  name: 'timeseries-mark-workout',
  text: `
    update timeseries.workout set deleted_at = now(), duplicate_of = null ${named} and deleted_at is null
    returning ${shown}`,
};
const remove: Statement = {
  name: 'timeseries-remove-workout',
  text: `delete from timeseries.workout ${named} returning ${shown}`,
};

const one = (statement: Statement) => async (on: Queryable, userId: string, provider: string, key: string) =>
  (await on.query<DeletedWorkout>(statement, [userId, provider, key]))[0] ?? null;

/** Marks a workout as deleted; null where it is not there, or was deleted before. */
export const markWorkout = one(mark);

/** Removes a workout's row; null where it is not there. */
export const removeWorkout = one(remove);

const forget: Statement = {
  name: 'timeseries-forget-versions',
  text: `
    update timeseries.item set hash = null, pending_hash = null
    where user_id = $1 and provider = $2 and data_type in ('activities', 'activityDetails')
      and record_ids @> array[$3::uuid]`,
};

/** Forgets which version of a record is stored: whatever comes next is stored anew. */
export async function forgetVersions(
  on: Queryable,
  userId: string,
  provider: string,
  id: string,
): Promise<void> {
  await on.query(forget, [userId, provider, id]);
}

const erase: Statement = {
  name: 'timeseries-delete-samples-of-workout',
  text: `
    delete from timeseries.sample x using timeseries.series s
    where s.user_id = $1 and s.provider = $2 and s.device = $3 and x.series_id = s.id
      and x.ts >= to_timestamp($4::float8 / 1000) and x.ts <= to_timestamp($5::float8 / 1000)
      and not exists (
        select from timeseries.workout w
        where w.user_id = $1 and w.provider = $2 and w.device = $3 and w.deleted_at is null
          and w.start_time > to_timestamp($4::float8 / 1000) - interval '31 days' and w.start_time <= to_timestamp($5::float8 / 1000)
          and x.ts >= w.start_time and x.ts <= w.end_time)`,
};

/** Deletes the samples within a workout, but for those that another one of its provider and device covers. */
export async function deleteSamplesOf(
  on: Queryable,
  userId: string,
  provider: string,
  { device, start_ms, end_ms }: DeletedWorkout,
): Promise<void> {
  await on.query(erase, [userId, provider, device, start_ms, end_ms]);
}
