import { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

const mostItems = 10_000;

/** Deletes a part of the stored item versions of a user, or of one provider of the user. Returns whether it was the last part. */
export async function eraseItems(
  transaction: Queryable,
  userId: string,
  provider?: string,
): Promise<boolean> {
  const condition = provider === undefined ? 'user_id = $1' : 'user_id = $1 and provider = $3';
  const rows = await transaction.query(
    `delete from timeseries.item where ctid = any(array(
       select ctid from timeseries.item where ${condition} limit $2)) and ${condition} returning 1`,
    provider === undefined ? [userId, mostItems] : [userId, mostItems, provider],
  );
  return rows.length < mostItems;
}

/** Bounds a transaction: deleting 20,000 samples takes about 50 ms. */
const mostSamples = 20_000;
const tables = ['sample_hour', 'sample_day', 'sample_local_day', 'other_instants', 'activity_block'];

/**
 * Deletes a part of a series whose row is already deleted: statistics first, then the oldest samples, then intervals. Returns whether
 * it was the last part.
 */
export async function eraseSamples(transaction: Queryable, seriesId: number): Promise<boolean> {
  for (const table of tables)
    await transaction.query(`delete from timeseries.${table} where series_id = $1`, [seriesId]);
  const [next] = await transaction.query<{ ts: string }>(
    'select ts::text from timeseries.sample where series_id = $1 order by ts offset $2 limit 1',
    [seriesId, mostSamples],
  );
  await transaction.query(
    "delete from timeseries.sample where series_id = $1 and ts < coalesce($2::timestamptz, 'infinity')",
    [seriesId, next?.ts ?? null],
  );
  return next === undefined && (await eraseIntervals(transaction, seriesId));
}

async function eraseIntervals(transaction: Queryable, seriesId: number): Promise<boolean> {
  const rows = await transaction.query(
    `delete from timeseries.interval_value where ctid = any(array(
       select ctid from timeseries.interval_value where series_id = $1 limit $2)) and series_id = $1 returning 1`,
    [seriesId, mostSamples],
  );
  return rows.length < mostSamples;
}

/** Deletes a user's records of one provider. Returns the time spans of its workouts. */
export async function deleteRecords(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<{ start_ms: number; end_ms: number }[]> {
  for (const table of [
    'night_mean',
    'sleep_session',
    'provider_day',
    'day_value',
    'score',
    'epoch_part',
    'other_record',
    'interval_set',
    'placed_span',
  ])
    await transaction.query(`delete from timeseries.${table} where user_id = $1 and provider = $2`, [
      userId,
      provider,
    ]);
  return transaction.query(
    `delete from timeseries.workout where user_id = $1 and provider = $2
     returning (extract(epoch from start_time) * 1000)::float8 as start_ms,
       (extract(epoch from end_time) * 1000)::float8 as end_ms`,
    [userId, provider],
  );
}

// Both conditions have an index of their own: the key is unique within a type, and `data` is a meal's in nutrition only.
const deleteEventItemsStatement = {
  name: 'timeseries-delete-event-items',
  text: `
    with named as (
      select id from timeseries.other_record
      where user_id = $1 and provider = $2 and type = any($3::text[]) and key = any($4::text[])
      union
      select id from timeseries.other_record
      where user_id = $1 and provider = $2 and type = 'nutrition' and data ->> 'meal_id' = any($4::text[])
    ), gone as (
      delete from timeseries.other_record where user_id = $1 and id in (select id from named) returning type, key
    ), forgotten as (
      delete from timeseries.item i using gone
      where i.user_id = $1 and i.provider = $2 and i.data_type = gone.type and i.key = gone.key
    )
    select count(*)::int as n from gone`,
};

/**
 * Deletes events other than workouts and sleep by the keys of their items, with their versions. The key of a meal deletes
 * its nutrients too. Returns the number of events.
 */
export async function deleteEventItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const values = [userId, provider, OtherEventType.options, keys];
  const [row] = await transaction.query<{ n: number }>(deleteEventItemsStatement, values);
  return row?.n ?? 0;
}

const deleteSleepItemsStatement = {
  name: 'timeseries-delete-sleep-items',
  text: `
    with gone as (
      delete from timeseries.sleep_session where user_id = $1 and provider = $2 and key = any($3::text[]) returning key
    ), forgotten as (
      delete from timeseries.item where user_id = $1 and provider = $2 and data_type = 'sleep' and key = any($3::text[])
    )
    select count(*)::int as n from gone`,
};

/** Deletes the sleep sessions of items with their versions. Returns the number of sessions. */
export async function deleteSleepItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const [row] = await transaction.query<{ n: number }>(deleteSleepItemsStatement, [userId, provider, keys]);
  return row?.n ?? 0;
}
