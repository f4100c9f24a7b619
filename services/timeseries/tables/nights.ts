import type { DayReading } from '../../../domain/day-pages.ts';
import type { NightMeans } from '../../../domain/provider/facts.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { isoTime, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { columnsOf } from './arrays.ts';
import { userLockKey } from './erasures.ts';

/** The series types of which a night has a mean. */
export const nightTypes = [
  'heart_rate',
  'heart_rate_variability_sdnn',
  'respiratory_rate',
  'oxygen_saturation',
] as const satisfies readonly (keyof NightMeans)[];

/** Their stored ids. */
export const nightTypeIds: readonly number[] = nightTypes.map((type) => seriesOf(type).id);

/** One provider's sessions of a local day, summed. */
export interface NightRow extends NightMeans {
  /** The number of days in the range. Equal in all rows. */
  total: number;
  /** Null in the only row of an empty page. */
  date: string | null;
  provider: string;
  device: string;
  sessions: number;
  /** Starts of the main sessions in time order. Null if there are naps only. */
  starts_ms: number[] | null;
  ends_ms: number[] | null;
  asleep_seconds: number | null;
  deep_seconds: number | null;
  light_seconds: number | null;
  rem_seconds: number | null;
  awake_seconds: number | null;
  interruptions: number | null;
  /** Whether each main session has a measured stage. Null if there are naps only. */
  is_staged: boolean | null;
  nap_count: number;
  nap_seconds: number | null;
  /** Whether the means are kept and up to date. Otherwise they are null. */
  is_kept: boolean;
}

const main = 'filter (where not is_nap)';
// Null if the time asleep of any session is not known.
const asleep = (filter: string) =>
  `case when bool_and(asleep_seconds is not null) ${filter} then sum(asleep_seconds) ${filter} end`;
const times = (column: string) =>
  `array_agg((extract(epoch from ${column}) * 1000)::float8 order by start_time) ${main}`;

/** Aggregates of the sessions of a night: the device whose means are preferred, and the bounds of its main sessions. */
const nightBounds = `
  (array_agg(device order by is_nap, asleep_seconds desc nulls last, start_time))[1] as device,
  ${times('start_time')} as starts_ms, ${times('end_time')} as ends_ms`;

const means = nightTypes.map((type) => `m.${type}`).join(', ');

const statementOf = (order: 'asc' | 'desc') => ({
  name: `timeseries-select-nights-${order}`,
  text: `
  with dates as materialized (
    select distinct date from timeseries.sleep_session where user_id = $1 and date between $2 and $3
  ),
  page as materialized (
    select date from dates where $4::date is null or date ${order === 'asc' ? '>' : '<'} $4
    order by date ${order} limit $5
  ),
  night as (
    select date, provider, ${nightBounds}, count(*) ${main} as sessions,
      ${asleep(main)} as asleep_seconds, sum(deep_seconds) ${main} as deep_seconds,
      sum(light_seconds) ${main} as light_seconds, sum(rem_seconds) ${main} as rem_seconds,
      sum(awake_seconds) ${main} as awake_seconds, sum(interruptions) ${main} as interruptions,
      bool_and(coalesce(greatest(deep_seconds, light_seconds, rem_seconds, awake_seconds), 0) > 0) ${main} as is_staged,
      count(*) filter (where is_nap) as nap_count, ${asleep('filter (where is_nap)')} as nap_seconds
    from timeseries.sleep_session join page using (date)
    where user_id = $1 and date between $2 and $3
    group by date, provider
  )
  select c.total, n.date::text, n.provider, n.device, n.sessions::int, n.starts_ms, n.ends_ms, n.asleep_seconds::float8,
    n.deep_seconds::float8, n.light_seconds::float8, n.rem_seconds::float8, n.awake_seconds::float8,
    n.interruptions::float8, n.is_staged, n.nap_count::int, n.nap_seconds::float8,
    m.user_id is not null as is_kept, ${means}
  from (select count(*)::int as total from dates) c left join night n on true
  left join timeseries.night_mean m
    on m.user_id = $1 and m.date between $2 and $3 and m.date = n.date and m.provider = n.provider and not m.stale
  order by n.date ${order}, n.provider`,
});

const statements = { asc: statementOf('asc'), desc: statementOf('desc') };

/** The sleep of local days of waking up. */
export function selectNights(
  database: Queryable,
  { user_id, first_date, last_date, after, order, limit }: DayReading,
): Promise<NightRow[]> {
  return database.query<NightRow>(statements[order], [user_id, first_date, last_date, after, limit]);
}

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
