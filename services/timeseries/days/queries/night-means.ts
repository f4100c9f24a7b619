import type { NightMeans } from '../../../../domain/provider/facts.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { userLockKey } from '../../queries/lock-user.ts';
import { nightTypes } from '../night-types.ts';
import { nightBounds } from './select-nights.ts';

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
export interface ComputedNight extends NightKey {
  readonly startMs: number;
  readonly endMs: number;
  readonly means: NightMeans;
}

// Nights of users with a store in progress are left out: their locks are not waited for.
const lock = {
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

const select = {
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

const remove = {
  name: 'timeseries-delete-night-means',
  text: `
    delete from timeseries.night_mean n using unnest($1::uuid[], $2::date[], $3::text[]) k (user_id, date, provider)
    where n.user_id = k.user_id and n.date = k.date and n.provider = k.provider`,
};

const update = {
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

/** The next stale nights after a key, with whether the lock of their user was free. It is held from now on. */
export function lockStaleNights(
  transaction: Queryable,
  { user_id, date, provider }: NightKey,
  most: number,
): Promise<(NightKey & { readonly is_locked: boolean })[]> {
  return transaction.query(lock, [user_id, date, provider, most]);
}

/** Those nights that are still stale, with their main sessions. The caller holds the locks of their users. */
export function selectStaleNights(
  transaction: Queryable,
  keys: readonly NightKey[],
): Promise<StaleNightRow[]> {
  return transaction.query<StaleNightRow>(select, columns(keys));
}

/** Deletes the kept means of nights. */
export async function deleteNightMeans(transaction: Queryable, keys: readonly NightKey[]): Promise<void> {
  if (keys.length > 0) await transaction.query(remove, columns(keys));
}

/** Stores the means of nights, which are then not stale. */
export async function updateNightMeans(
  transaction: Queryable,
  nights: readonly ComputedNight[],
): Promise<void> {
  if (nights.length === 0) return;
  await transaction.query(update, [
    ...columns(nights),
    nights.map(({ startMs }) => isoTime(startMs)),
    nights.map(({ endMs }) => isoTime(endMs)),
    ...nightTypes.map((type) => nights.map(({ means }) => means[type])),
  ]);
}

function columns(keys: readonly NightKey[]): unknown[] {
  return [
    keys.map(({ user_id }) => user_id),
    keys.map(({ date }) => date),
    keys.map(({ provider }) => provider),
  ];
}
