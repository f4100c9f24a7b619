import type { NightMeans } from '../../../domain/provider/facts.ts';
import { isoTime, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { nightTypes } from '../rules/night-types.ts';
import { columnsOf } from './arrays.ts';
import { userLockKey } from './lock-user.ts';
import { nightBounds } from './nights.ts';

/** The key of the kept means of a night. */
export interface NightKey {
  readonly user_id: string;
  readonly date: string;
  readonly provider: string;
}

/** A stale night. `starts_ms` is null if it has no main session, `is_kept` false if its means are never kept. */
export interface StaleNightRow extends NightKey {
  readonly device: string;
  readonly starts_ms: number[] | null;
  readonly ends_ms: number[] | null;
  readonly is_kept: boolean | null;
}

/** The means of a night, with the bounds of its main sessions. */
interface ComputedNight extends NightKey {
  readonly startMs: number;
  readonly endMs: number;
  readonly means: NightMeans;
}

// Nights of users with a store in progress are left out: their locks are not waited for.
const lockStale = {
  name: 'timeseries-lock-stale-nights',
  text: `
    with stale as materialized (
      select user_id, date, provider from timeseries.night_mean
      where stale and (user_id, date, provider) > ($1::uuid, $2::date, $3)
      order by user_id, date, provider limit $4
    ), locked as materialized (
      select user_id, pg_try_advisory_xact_lock(${userLockKey('user_id::text')}) as is_locked
      from (select distinct user_id from stale) u
    )
    select user_id, date::text, provider, is_locked from stale join locked using (user_id)
    order by user_id, stale.date, provider`,
};

const selectStale = {
  name: 'timeseries-select-stale-nights',
  text: `
    select n.user_id, n.date::text, n.provider, s.device, s.starts_ms, s.ends_ms,
      timeseries.is_kept_night(n.date, s.start_time, s.end_time) as is_kept
    from unnest($1::uuid[], $2::date[], $3::text[]) k (user_id, date, provider)
    join timeseries.night_mean n
      on n.user_id = k.user_id and n.date = k.date and n.provider = k.provider and n.stale
    cross join lateral (
      select ${nightBounds}, min(start_time) as start_time, max(end_time) as end_time
      from timeseries.sleep_session
      where user_id = k.user_id and date = k.date and provider = k.provider and not is_nap
    ) s`,
};

const deleteMeans = {
  name: 'timeseries-delete-night-means',
  text: `
    delete from timeseries.night_mean n using unnest($1::uuid[], $2::date[], $3::text[]) k (user_id, date, provider)
    where n.user_id = k.user_id and n.date = k.date and n.provider = k.provider`,
};

const updateMeans = {
  name: 'timeseries-update-night-means',
  text: `
    update timeseries.night_mean n
    set stale = false, start_time = k.start_time, end_time = k.end_time,
      ${nightTypes.map((type) => `${type} = k.${type}`).join(', ')}
    from unnest($1::uuid[], $2::date[], $3::text[], $4::timestamptz[], $5::timestamptz[],
        ${nightTypes.map((_, index) => `$${index + 6}::float8[]`).join(', ')})
      k (user_id, date, provider, start_time, end_time, ${nightTypes.join(', ')})
    where n.user_id = k.user_id and n.date = k.date and n.provider = k.provider`,
};

const keyNames = ['user_id', 'date', 'provider'] as const;

/** The next stale nights after a key, with whether the lock of their user was free. It is held from now on. */
export function lockStaleNights(
  transaction: Queryable,
  { user_id, date, provider }: NightKey,
  most: number,
): Promise<(NightKey & { readonly is_locked: boolean })[]> {
  return transaction.query(lockStale, [user_id, date, provider, most]);
}

/** Those nights that are still stale, with their main sessions. The caller holds the locks of their users. */
export function selectStaleNights(
  transaction: Queryable,
  keys: readonly NightKey[],
): Promise<StaleNightRow[]> {
  return transaction.query<StaleNightRow>(selectStale, columnsOf(keys, ...keyNames));
}

/** Deletes the kept means of nights. */
export async function deleteNightMeans(transaction: Queryable, keys: readonly NightKey[]): Promise<void> {
  if (keys.length > 0) await transaction.query(deleteMeans, columnsOf(keys, ...keyNames));
}

/** Stores the means of nights, which are then not stale. */
export async function updateNightMeans(
  transaction: Queryable,
  nights: readonly ComputedNight[],
): Promise<void> {
  if (nights.length === 0) return;
  await transaction.query(updateMeans, [
    ...columnsOf(nights, ...keyNames),
    nights.map(({ startMs }) => isoTime(startMs)),
    nights.map(({ endMs }) => isoTime(endMs)),
    ...nightTypes.map((type) => nights.map(({ means }) => means[type])),
  ]);
}

/** The mean of one series over the main sleep of a night. `place` is the index of the night in the request. */
export interface SleepMeanRow {
  place: number;
  type_id: number;
  device: string;
  n: number;
  mean: number;
}

/** A part of a night: whole hours, or a part of an hour. */
export interface NightPiece extends Range {
  readonly place: number;
  readonly user_id: string;
  readonly provider: string;
}

// Whole hours come from the statistics, the two ends of a session from samples: a night at 1 Hz reads about 9 hourly
// rows and at most 7,200 of its 28,800 samples.
const sleepMeansStatement = {
  name: 'timeseries-select-sleep-means',
  text: `
    select place, type_id, device, sum(n)::float8 as n, sum(total) / sum(n) as mean from (
      select p.place, s.type_id, s.device, h.n, h.total
      from unnest($2::int[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[])
        p (place, user_id, provider, first, beyond)
      join timeseries.series s on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select sum(n) as n, sum(sum) as total from timeseries.sample_hour
        where series_id = s.id and bucket >= p.first and bucket < p.beyond
      ) h
      union all
      select p.place, s.type_id, s.device, x.n, x.total
      from unnest($7::int[], $8::uuid[], $9::text[], $10::timestamptz[], $11::timestamptz[])
        p (place, user_id, provider, first, beyond)
      join timeseries.series s on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select count(*) as n, sum(value) as total from timeseries.sample
        where series_id = s.id and ts >= p.first and ts < p.beyond and ts >= $12 and ts < $13
      ) x
    ) pieces
    where n > 0
    group by place, type_id, device`,
};

/** Means of the given types over nights that are cut into whole hours and edges. */
export async function selectSleepMeans(
  database: Queryable,
  typeIds: readonly number[],
  hours: readonly NightPiece[],
  edges: readonly NightPiece[],
): Promise<SleepMeanRow[]> {
  if (hours.length + edges.length === 0) return [];
  const first = Math.min(...edges.map(({ startMs }) => startMs), Date.UTC(9999, 0));
  const end = Math.max(...edges.map(({ endMs }) => endMs), 0);
  const values = [typeIds, ...pieceColumns(hours), ...pieceColumns(edges), isoTime(first), isoTime(end)];
  return database.query<SleepMeanRow>(sleepMeansStatement, values);
}

function pieceColumns(pieces: readonly NightPiece[]): unknown[] {
  const bounds = [pieces.map(({ startMs }) => isoTime(startMs)), pieces.map(({ endMs }) => isoTime(endMs))];
  return [...columnsOf(pieces, 'place', 'user_id', 'provider'), ...bounds];
}
