import type { Queryable } from '../../../../mixins/database/database.ts';
import type { KeptTypes } from './kept-types.ts';

/** What is expired of a series type. */
export interface OldSamples {
  type_id: number;
  rows: number;
  users: number;
}

/*
 * The statistics of samples count a local day exactly. Those of intervals count an interval on each day that it touches, but the
 * hours count it where it begins: whole UTC days and hours that are old on every clock, and the rows of the 36 hours that are old on some.
 */
const samples = `
  select s.type_id, sum(old.n)::float8 as rows,
    (count(distinct s.user_id) filter (where old.n > 0))::int as users
  from timeseries.series s
  join unnest($2::smallint[], $3::date[], $4::timestamptz[]) k (type_id, kept_from, midnight) on k.type_id = s.type_id
  cross join lateral (
    select sum(n) as n from timeseries.sample_local_day
    where not s.is_interval and series_id = s.id and date < k.kept_from
    union all
    select (select coalesce(sum(n), 0) from timeseries.sample_day
        where series_id = s.id and bucket < k.midnight - interval '24 hours')
      + (select coalesce(sum(n), 0) from timeseries.sample_hour
        where series_id = s.id and bucket >= k.midnight - interval '24 hours' and bucket < k.midnight - interval '18 hours')
      + (select count(*) from timeseries.interval_value
        where series_id = s.id and start_time >= k.midnight - interval '18 hours'
          and start_time < k.midnight + interval '18 hours'
          and start_time + zone_offset_minutes * interval '1 minute' < k.midnight)
    where s.is_interval
  ) old
  where s.user_id = any($1::uuid[])
  group by s.type_id having sum(old.n) > 0`;

/** Counts the samples and intervals of users before the first local days that are kept, from statistics. */
export function countOldSamples(
  database: Queryable,
  users: readonly string[],
  { ids, days }: KeptTypes,
): Promise<OldSamples[]> {
  const midnights = days.map((day) => `${day}T00:00:00Z`);
  return database.query<OldSamples>(samples, [users, ids, days, midnights]);
}

/** What is expired of a type of events. */
export interface OldEvents {
  type: string;
  rows: number;
  users: number;
}

/** Counts the events of users before a local day. */
export function countOldEvents(
  database: Queryable,
  users: readonly string[],
  firstDay: string,
): Promise<OldEvents[]> {
  return database.query<OldEvents>(
    `select type, count(*)::float8 as rows, count(distinct user_id)::int as users from timeseries.other_record
     where user_id = any($1::uuid[]) and local_date < $2::date group by type`,
    [users, firstDay],
  );
}
