import type { Queryable } from '../../../../../mixins/database/database.ts';
import type { ObjectChange } from '../../../read/changes.ts';

/** The days that have a file for each hour: those from `first` to `last`. */
export interface HourlyDays {
  readonly first: string;
  readonly last: string;
}

// A file of the whole day stays one. `slots` has the columns type, date, hour and id.
const insertSlots = `
  insert into destinations.partition as p (destination_id, type, date, hour, dirty_at)
  select $1, type, date, case when is_whole then -1 else hour end, min(id) from (
    select s.*, hour = -1 or exists (
      select from destinations.partition w
      where w.destination_id = $1 and w.type = s.type and w.date = s.date and w.hour = -1) as is_whole
    from slots s) s
  group by 1, 2, 3, 4
  on conflict (destination_id, type, date, hour) do update set dirty_at = least(p.dirty_at, excluded.dirty_at)`;

const at = (us: string) => `timestamp '1970-01-01' + ${us} * interval '1 microsecond'`;

// A span of many days names those that have samples or a file: an interval is counted on the day of its start or the next one.
const samples = {
  name: 'destinations.mark_samples',
  text: `
    with given as (
      select user_id, type, type_id, id, coalesce(${at('first')}, '-infinity') as first, coalesce(${at('last')}, 'infinity') as last
      from unnest($2::uuid[], $3::text[], $4::smallint[], $5::float8[], $6::float8[], $7::bigint[])
        m (user_id, type, type_id, first, last, id)
    ),
    near as (
      select * from given where last - first < interval '3 days' and first > '-infinity' and last < 'infinity'
    ),
    days as (
      select type, d::date as date, id
      from near cross join lateral generate_series(first::date::timestamp, last, interval '1 day') d
      union
      select g.type, f.date, g.id from given g cross join lateral (
        select b.date from timeseries.series s join timeseries.sample_day d on d.series_id = s.id
        cross join lateral (values ((d.bucket at time zone 'UTC')::date), ((d.bucket at time zone 'UTC')::date - 1)) b (date)
        where s.user_id = g.user_id and s.type_id = g.type_id
        union
        select p.date from destinations.partition p where p.destination_id = $1 and p.type = g.type
      ) f
      where not (g.last - g.first < interval '3 days' and g.first > '-infinity' and g.last < 'infinity')
        and f.date >= g.first::date and f.date <= g.last::date
    ),
    slots as (
      select type, date, -1::smallint as hour, id from days where date < $8::date or date > $9::date
      union all
      select d.type, d.date, h::smallint, d.id
      from days d join given g on g.id = d.id cross join generate_series(0, 23) h
      where d.date between $8::date and $9::date
        and d.date + h * interval '1 hour' <= g.last and d.date + (h + 1) * interval '1 hour' > g.first
    )
    ${insertSlots}`,
};

const records = {
  name: 'destinations.mark_records',
  text: `
    with given as (
      select user_id, type, record_id, date, id
      from unnest($2::uuid[], $3::text[], $4::uuid[], $5::date[], $6::bigint[]) m (user_id, type, record_id, date, id)
    ),
    slots as (
      select type, date, -1::smallint as hour, id from given where date is not null
      union all
      select g.type, r.date, -1, g.id
      from given g join destinations.record r on r.destination_id = $1 and r.id = g.record_id and r.type = g.type
      union all
      select g.type, (p.created_at at time zone 'UTC')::date, -1, g.id
      from given g join users.person p on p.id = g.user_id where g.type = 'user'
    )
    ${insertSlots}`,
};

/** Marks the files that changes concern, as many as there are. `typeIdOf` is the stored id of a series type. */
export async function markChanged(
  transaction: Queryable,
  destinationId: string,
  changes: readonly ObjectChange[],
  hourly: HourlyDays,
  typeIdOf: (change: Extract<ObjectChange, { kind: 'sample' }>) => number,
): Promise<void> {
  const ofSamples = changes.filter((one) => one.kind === 'sample');
  const ofRecords = changes.filter((one) => one.kind !== 'sample');
  if (ofSamples.length > 0)
    await transaction.query(samples, [
      destinationId,
      ...[
        ofSamples.map(({ user_id }) => user_id),
        ofSamples.map(({ type }) => type),
        ofSamples.map(typeIdOf),
      ],
      ...[
        ofSamples.map(({ first }) => first),
        ofSamples.map(({ last }) => last),
        ofSamples.map(({ id }) => id),
      ],
      ...[hourly.first, hourly.last],
    ]);
  if (ofRecords.length > 0)
    await transaction.query(records, [
      destinationId,
      ...[ofRecords.map(({ user_id }) => user_id), ofRecords.map(({ type }) => type)],
      ...[ofRecords.map(({ record_id }) => record_id), ofRecords.map(dateOf), ofRecords.map(({ id }) => id)],
    ]);
}

// Workouts and sleep are found by the UTC day of their start, the others by the local day that the change names.
function dateOf({ date, first }: Extract<ObjectChange, { record_id: string | null }>): string | null {
  if (date !== null) return date;
  return first === null ? null : new Date(first / 1000).toISOString().slice(0, 10);
}

/** Marks the files of days that are not hourly any more: the hours of each become one file. */
export async function markMerged(
  transaction: Queryable,
  destinationId: string,
  hourly: HourlyDays,
  changeId: string,
): Promise<void> {
  await transaction.query(
    `insert into destinations.partition (destination_id, type, date, hour, dirty_at)
     select destination_id, type, date, -1, $3 from destinations.partition
     where destination_id = $1 and hour >= 0 and date < $2::date
     group by 1, 2, 3, 4 on conflict (destination_id, type, date, hour) do nothing`,
    [destinationId, hourly.first, changeId],
  );
}

/** Marks all files. */
export async function markAll(
  transaction: Queryable,
  destinationId: string,
  changeId: string,
): Promise<void> {
  await transaction.query(
    'update destinations.partition set dirty_at = $2, written_at = null where destination_id = $1',
    [destinationId, changeId],
  );
}

/** Marks the files that may have rows of users. Returns their number. */
export async function markOfUsers(
  transaction: Queryable,
  destinationId: string,
  userIds: readonly string[],
  changeId: string,
): Promise<number> {
  const rows = await transaction.query(
    `update destinations.partition p set dirty_at = least(dirty_at, $3::bigint), written_at = null
     from destinations.user_span s
     where p.destination_id = $1 and s.destination_id = $1 and s.user_id = any($2::uuid[]) and p.type = s.type
       and p.date between s.first_date and s.last_date and p.file is not null
     returning p.date`,
    [destinationId, userIds, changeId],
  );
  return rows.length;
}
