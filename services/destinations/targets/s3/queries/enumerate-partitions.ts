import type { Queryable } from '../../../../../mixins/database/database.ts';
import type { HourlyDays } from './mark-partitions.ts';

const usersPerPart = 1000;

const nextUsers = `
  select array_agg(id order by id) as ids from (
    select id from users.person where project_id = $1 and deleted_at is null and id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit ${usersPerPart}) u`;

const insert = (rows: string) => `
  insert into destinations.partition as p (destination_id, type, date, hour, dirty_at)
  select distinct $1::uuid, type, date, hour, $3::bigint from (${rows}) s
  where type = any($4) or $4::text[] is null
  on conflict (destination_id, type, date, hour) do update set dirty_at = least(p.dirty_at, excluded.dirty_at)`;

// Statistics name the days of samples; intervals are found by their start.
const samples = insert(`
  select d.type, d.date, h::smallint as hour from (
    select distinct t.type, (d.bucket at time zone 'UTC')::date as date
    from timeseries.series s join unnest($5::smallint[], $6::text[]) t (id, type) on t.id = s.type_id
    join timeseries.sample_day d on d.series_id = s.id
    where s.user_id = any($2) and not s.is_interval
    union
    select distinct t.type, (v.start_time at time zone 'UTC')::date
    from timeseries.series s join unnest($5::smallint[], $6::text[]) t (id, type) on t.id = s.type_id
    join timeseries.interval_value v on v.series_id = s.id
    where s.user_id = any($2) and s.is_interval
  ) d cross join generate_series(-1, 23) h
  where case
    when exists (select from destinations.partition w
      where w.destination_id = $1 and w.type = d.type and w.date = d.date and w.hour = -1) then h = -1
    else (h = -1) = (d.date < $7::date or d.date > $8::date) end`);

const utcDate = (column: string) => `(${column} at time zone 'UTC')::date`;
const whole = (type: string, date: string, table: string, condition: string) =>
  `select '${type}' as type, ${date} as date, -1::smallint as hour from ${table} where ${condition}`;
const ofUsers = 'user_id = any($2)';
const records = insert(
  [
    whole('workout', utcDate('start_time'), 'timeseries.workout', ofUsers),
    whole('sleep', utcDate('start_time'), 'timeseries.sleep_session', ofUsers),
    whole('day', 'date', 'timeseries.provider_day', ofUsers),
    whole('day', 'date', 'timeseries.day_value', ofUsers),
    whole('score', 'date', 'timeseries.score', ofUsers),
    whole('score', 'date', 'timeseries.sleep_session', ofUsers),
    whole('score', 'date', 'timeseries.day_value', ofUsers),
    whole('user', utcDate('created_at'), 'users.person', 'id = any($2) and project_id is not null'),
  ].join(' union all '),
);

/** What the files of stored data are made of. */
export interface Enumerated {
  readonly destinationId: string;
  readonly project: string;
  readonly types: readonly string[] | null;
  readonly hourly: HourlyDays;
  readonly changeId: string;
  readonly seriesTypes: readonly { readonly id: number; readonly type: string }[];
}

/** Marks the files of the next 1,000 users after a user. Returns the last of them, or null if none is left. */
export async function enumeratePart(
  transaction: Queryable,
  { destinationId, project, types, hourly, changeId, seriesTypes }: Enumerated,
  after: string | null,
): Promise<string | null> {
  const [found] = await transaction.query<{ ids: string[] | null }>(nextUsers, [project, after]);
  const users = found?.ids ?? [];
  if (users.length === 0) return null;
  const common = [destinationId, users, changeId, types];
  const [ids, names] = [seriesTypes.map(({ id }) => id), seriesTypes.map(({ type }) => type)];
  await transaction.query(samples, [...common, ids, names, hourly.first, hourly.last]);
  await transaction.query(records, common);
  return users.length < usersPerPart ? null : (users.at(-1) ?? null);
}
