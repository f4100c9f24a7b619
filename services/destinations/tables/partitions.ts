import type { Queryable } from '../../../mixins/database/database.ts';
import type { ObjectChange } from './changes.ts';

/** A file that is to be written: the rows of a type and UTC day, or one hour of it. */
export interface DirtyPartition {
  readonly type: string;
  /** `2026-01-31` */
  readonly date: string;
  /** -1: the whole day. */
  readonly hour: number;
}

// The hours of a day whose whole is to be written go with it.
const dirty = `
  from destinations.partition p where destination_id = $1 and dirty_at is not null
    and (hour = -1 or not exists (
      select from destinations.partition w
      where w.destination_id = $1 and w.type = p.type and w.date = p.date and w.hour = -1))`;

/** The files that are to be written, and were not within an interval. */
export function selectDirty(
  database: Queryable,
  destinationId: string,
  intervalSeconds: number,
  limit: number,
): Promise<DirtyPartition[]> {
  return database.query<DirtyPartition>(
    `select type, date::text as date, hour ${dirty}
       and (written_at is null or written_at <= now() - $2 * interval '1 second')
     order by type, p.date, hour limit $3`,
    [destinationId, intervalSeconds, limit],
  );
}

/** The id of the first change that is not written, or null. */
export async function selectFirstUnwritten(
  database: Queryable,
  destinationId: string,
): Promise<string | null> {
  const [row] = await database.query<{ id: string | null }>(
    'select min(dirty_at)::text as id from destinations.partition where destination_id = $1 and dirty_at is not null',
    [destinationId],
  );
  return row?.id ?? null;
}

/** A file that was written; null without rows. */
export interface WrittenPartition extends DirtyPartition {
  readonly file: string | null;
  readonly rows: number;
  readonly bytes: number;
}

/** Stores written files in place of the former ones, which are unused from this commit on. */
export async function storeWritten(
  transaction: Queryable,
  destinationId: string,
  commit: number,
  written: readonly WrittenPartition[],
): Promise<void> {
  const columns = [
    written.map(({ type }) => type),
    written.map(({ date }) => date),
    written.map(({ hour }) => hour),
  ];
  await transaction.query(
    `with w as (select * from unnest($3::text[], $4::date[], $5::smallint[]) w (type, date, hour)),
     former as (
       select p.file from destinations.partition p join w on p.type = w.type and p.date = w.date and (p.hour = w.hour or w.hour = -1)
       where p.destination_id = $1 and p.file is not null)
     update destinations.object o set unused_since = $2 from former f where o.destination_id = $1 and o.name = f.file`,
    [destinationId, commit, ...columns],
  );
  await transaction.query(
    `delete from destinations.partition p using unnest($2::text[], $3::date[], $4::smallint[]) w (type, date, hour)
     where p.destination_id = $1 and p.type = w.type and p.date = w.date and w.hour = -1 and p.hour >= 0`,
    [destinationId, ...columns],
  );
  await transaction.query(
    `update destinations.partition p set file = w.file, rows = w.rows, bytes = w.bytes, dirty_at = null, written_at = now()
     from unnest($2::text[], $3::date[], $4::smallint[], $5::text[], $6::bigint[], $7::bigint[]) w (type, date, hour, file, rows, bytes)
     where p.destination_id = $1 and p.type = w.type and p.date = w.date and p.hour = w.hour`,
    [
      destinationId,
      ...columns,
      written.map(({ file }) => file),
      written.map(({ rows }) => rows),
      written.map(({ bytes }) => bytes),
    ],
  );
  await transaction.query(
    `update destinations.object set unused_since = null where destination_id = $1 and name = any($2)`,
    [destinationId, written.flatMap(({ file }) => file ?? [])],
  );
  // Rows of days without data go: a change that names such a day makes a new one.
  await transaction.query(
    `delete from destinations.partition where destination_id = $1 and file is null and dirty_at is null
       and written_at < now() - interval '1 day'`,
    [destinationId],
  );
}

/** A file of the manifest. */
export interface ListedFile {
  readonly type: string;
  readonly date: string;
  readonly hour: number;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The files of the last commit, but for those that are replaced now. */
export async function selectFiles(database: Queryable, destinationId: string): Promise<ListedFile[]> {
  return database.query<ListedFile>(
    `select type, date::text as date, hour, file, rows::float8 as rows, bytes::float8 as bytes
     from destinations.partition where destination_id = $1 and file is not null order by type, date, hour`,
    [destinationId],
  );
}

/** Stores the days on which users have rows in written files: [user, type, date]. */
export async function storeSpans(
  transaction: Queryable,
  destinationId: string,
  users: readonly (readonly [user: string, type: string, date: string])[],
): Promise<void> {
  const usersPerStatement = 20_000;
  for (let first = 0; first < users.length; first += usersPerStatement) {
    const part = users.slice(first, first + usersPerStatement);
    await transaction.query(
      `insert into destinations.user_span as s (destination_id, user_id, type, first_date, last_date)
       select $1, user_id, type, min(date), max(date)
       from unnest($2::uuid[], $3::text[], $4::date[]) u (user_id, type, date) group by user_id, type order by user_id, type
       on conflict (destination_id, user_id, type) do update set
         first_date = least(s.first_date, excluded.first_date), last_date = greatest(s.last_date, excluded.last_date)
       where s.first_date > excluded.first_date or s.last_date < excluded.last_date`,
      [
        destinationId,
        part.map(([user]) => user),
        part.map(([, type]) => type),
        part.map(([, , date]) => date),
      ],
    );
  }
}

/** The place of a record in written files. */
export interface PlacedRecord {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly date: string;
}

/** Stores the records of written days in place of those that were there. */
export async function storeRecords(
  transaction: Queryable,
  destinationId: string,
  written: readonly DirtyPartition[],
  records: readonly PlacedRecord[],
): Promise<void> {
  await transaction.query(
    `delete from destinations.record r using unnest($2::text[], $3::date[]) w (type, date)
     where r.destination_id = $1 and r.type = w.type and r.date = w.date`,
    [destinationId, written.map(({ type }) => type), written.map(({ date }) => date)],
  );
  await transaction.query(
    `insert into destinations.record (destination_id, id, user_id, type, date)
     select $1, r.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::date[]) r (id, user_id, type, date)
     on conflict (destination_id, id, type) do update set date = excluded.date, user_id = excluded.user_id`,
    [
      destinationId,
      records.map(({ id }) => id),
      records.map(({ user_id }) => user_id),
      records.map(({ type }) => type),
      records.map(({ date }) => date),
    ],
  );
}

/** Deletes what is stored of the files of a destination, which begins at another place. */
export async function forgetFiles(transaction: Queryable, destinationId: string): Promise<void> {
  for (const table of ['partition', 'object', 'record', 'user_span'])
    await transaction.query(`delete from destinations.${table} where destination_id = $1`, [destinationId]);
}

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
const enumerateSamples = insert(`
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
const enumerateRecords = insert(
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
interface Enumerated {
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
  await transaction.query(enumerateSamples, [...common, ids, names, hourly.first, hourly.last]);
  await transaction.query(enumerateRecords, common);
  return users.length < usersPerPart ? null : (users.at(-1) ?? null);
}

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
const markSamples = {
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

const markRecords = {
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
    await transaction.query(markSamples, [
      destinationId,
      ofSamples.map(({ user_id }) => user_id),
      ofSamples.map(({ type }) => type),
      ofSamples.map(typeIdOf),
      ofSamples.map(({ first }) => first),
      ofSamples.map(({ last }) => last),
      ofSamples.map(({ id }) => id),
      hourly.first,
      hourly.last,
    ]);
  if (ofRecords.length > 0)
    await transaction.query(markRecords, [
      destinationId,
      ofRecords.map(({ user_id }) => user_id),
      ofRecords.map(({ type }) => type),
      ofRecords.map(({ record_id }) => record_id),
      ofRecords.map(dateOf),
      ofRecords.map(({ id }) => id),
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
