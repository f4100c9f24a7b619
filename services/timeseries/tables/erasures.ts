import { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** The key of a user's lock in SQL. `userId` is an expression of type text. */
export const userLockKey = (userId: string) => `hashtextextended(${userId}, 7357)`;

const lock = {
  name: 'timeseries-lock-user',
  text: `select pg_advisory_xact_lock(${userLockKey('$1')})`,
};

/**
 * Takes the user's lock and holds it until the end of the transaction. Every writer takes it first. Without it,
 * statistics, versions, merging and erasure are not exact under concurrent writers. One lock per user cannot deadlock,
 * unlike locks per series that several statements take.
 */
export async function lockUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(lock, [userId]);
}

const statement = {
  name: 'timeseries-select-tombstone',
  text: `
    select from timeseries.tombstone where user_id = $1
    union all select from timeseries.purge where user_id = $1 and provider = $2 and closed`,
};

/**
 * Whether a user was erased, or the user's data of a provider was purged. Must be read under the user's lock. Otherwise
 * a running store could write after the erasure.
 */
export async function isErased(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return (await transaction.query(statement, [userId, provider])).length > 0;
}

/** Tables of a provider's data that go with it, beside workouts and series. */
const tablesOfProvider = [
  'night_mean',
  'sleep_session',
  'provider_day',
  'day_value',
  'score',
  'epoch_part',
  'other_record',
  'interval_set',
  'placed_span',
];

/**
 * Marks a user as erased and deletes the user's series and records. Their samples remain until the background erasure,
 * for which `series_ids` keeps the ids of the series. A second call finds the mark and changes nothing.
 */
export async function insertTombstone(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(
    `with gone as (delete from timeseries.series where user_id = $1 returning id)
     insert into timeseries.tombstone (user_id, series_ids)
     select $1, coalesce(array_agg(id order by id), '{}') from gone
     on conflict (user_id) do nothing`,
    [userId],
  );
  const tables = ['workout', ...tablesOfProvider, 'clock_day', 'source_priority', 'route_privacy'];
  for (const table of tables)
    await transaction.query(`delete from timeseries.${table} where user_id = $1`, [userId]);
}

/** Locks a user's unfinished erasure for this transaction. Returns the series whose samples remain. */
export async function lockTombstone(transaction: Queryable, userId: string): Promise<number[] | undefined> {
  const [row] = await transaction.query<{ series_ids: number[] }>(
    'select series_ids from timeseries.tombstone where user_id = $1 and finished_at is null for update',
    [userId],
  );
  return row?.series_ids;
}

/** Records that the samples of a series are deleted. */
export async function forgetSeries(transaction: Queryable, userId: string, seriesId: number): Promise<void> {
  await transaction.query(
    'update timeseries.tombstone set series_ids = array_remove(series_ids, $2) where user_id = $1',
    [userId, seriesId],
  );
}

/** Records that no data of the user is left. */
export async function finishTombstone(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query('update timeseries.tombstone set finished_at = now() where user_id = $1', [userId]);
}

/**
 * Blocks ingestion of a provider's data of a user and deletes its series. `series_ids` keeps their ids for the
 * background deletion. Returns false if this request or a later one was carried out before.
 */
export async function upsertPurge(
  transaction: Queryable,
  userId: string,
  provider: string,
  version: number,
): Promise<boolean> {
  const upserted = await transaction.query(
    `insert into timeseries.purge as p (user_id, provider, version, closed, series_ids, items_done)
     values ($1, $2, $3, true, '{}', false)
     on conflict (user_id, provider) do update
       set version = excluded.version, closed = true, items_done = false, purged_at = now()
       where p.version < excluded.version
     returning 1`,
    [userId, provider, version],
  );
  if (upserted.length === 0) return false;
  await transaction.query(
    `with gone as (delete from timeseries.series where user_id = $1 and provider = $2 returning id)
     update timeseries.purge set series_ids = series_ids || (select coalesce(array_agg(id order by id), '{}') from gone)
     where user_id = $1 and provider = $2`,
    [userId, provider],
  );
  return true;
}

/** A purge and its remaining work. */
export interface PurgeRow {
  user_id: string;
  provider: string;
  version: number;
  series_ids: number[];
  items_done: boolean;
}

/** The purge of a user and provider, locked until the end of the transaction. */
export async function lockPurge(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<PurgeRow | undefined> {
  const [row] = await transaction.query<PurgeRow>(
    `select user_id, provider, version, series_ids, items_done from timeseries.purge
     where user_id = $1 and provider = $2 for update`,
    [userId, provider],
  );
  return row;
}

/** Records that the stored versions of purged items are deleted. Returns whether nothing is left. */
export function finishItems(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'items_done = true', [userId, provider]);
}

/** Records that the samples of a purged series are deleted. Returns whether nothing is left. */
export function forgetPurgedSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  seriesId: number,
): Promise<boolean> {
  return update(transaction, 'series_ids = array_remove(series_ids, $3)', [userId, provider, seriesId]);
}

/** Allows ingestion again. The stored versions are deleted. Returns whether nothing is left. */
export function openPurge(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'closed = false, items_done = true', [userId, provider]);
}

async function update(transaction: Queryable, change: string, values: readonly unknown[]): Promise<boolean> {
  const statement = `
    update timeseries.purge set ${change} where user_id = $1 and provider = $2
    returning items_done and cardinality(series_ids) = 0 as is_finished`;
  const [row] = await transaction.query<{ is_finished: boolean }>(statement, values);
  return row?.is_finished === true;
}

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
  for (const table of tablesOfProvider)
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
