import type { StoredSpan } from '../../../contracts/timeseries/writes.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { Direction } from '../../../domain/cursor.ts';
import { recordNotFound } from '../../../domain/errors.ts';
import type { SleepDetails, StageSpan } from '../../../domain/records/records.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { isoTime, type Range } from '../../../domain/time/time.ts';
import type { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable, Row } from '../../../mixins/database/database.ts';
import { columnsOf } from './arrays.ts';

/** A table of events: its columns, and which of its rows are listed. */
export interface EventTable {
  /** Part of the statements' names. */
  readonly name: string;
  readonly table: string;
  /** Columns beside those that all events have. */
  readonly columns: string;
  /** Additional condition for lists and for single events. */
  readonly listed?: string;
  readonly single?: string;
}

/** The columns that all events have. `at` is in microseconds since 1970. */
export interface EventRow extends Row {
  id: string;
  at: number;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  /** Null if the provider sent none. */
  zone_offset_minutes: number | null;
}

/** Which events of a user are listed. A null type means all. */
interface EventFilter {
  readonly userId: string;
  readonly range: Range;
  readonly type: string | null;
}

/** Cursor of a page of events: the start and id of the adjacent item, or the beginning of the list. */
interface EventCursor {
  readonly direction: Direction;
  readonly after: { readonly start: string; readonly id: string } | null;
}

/** The events of a page in reading order, and the number of events in the list. */
interface EventPage<Event> {
  readonly rows: Event[];
  readonly total: number;
}

const shownColumns = ({ columns }: EventTable) => `
  id, (extract(epoch from start_time) * 1000000)::float8 as at,
  (extract(epoch from start_time) * 1000)::float8 as start_ms, (extract(epoch from end_time) * 1000)::float8 as end_ms,
  provider, device, case when zone_reported then zone_offset_minutes end as zone_offset_minutes, ${columns}`;

// Two statements, with and without a type, because each uses an index of its own.
const listedIn = ({ table, listed = 'true' }: EventTable, byType: boolean) => `
  from ${table}
  where user_id = $1 and start_time >= $2 and start_time < $3 ${byType ? 'and type = $4' : 'and $4::text is null'}
    and ${listed}`;

// Page and total come from one snapshot. The beginning of the list is a cursor too, because a null would need another
// plan.
const pageOf = (table: EventTable, byType: boolean, direction: Direction) => {
  const [order, sign] = direction === 'next' ? ['desc', '<'] : ['asc', '>'];
  return `
    select total, page.* from (select count(*)::int as total ${listedIn(table, byType)}) counted
    left join lateral (
      select ${shownColumns(table)} ${listedIn(table, byType)} and (start_time, id) ${sign} ($5, $6::uuid)
      order by start_time ${order}, id ${order} limit $7
    ) page on true
    order by page.at ${order}, page.id ${order}`;
};

const beginnings = {
  next: { start: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  previous: { start: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
} as const;

/** At most `most` listed events: newest first, backward oldest first. */
export async function selectEvents<Event extends EventRow>(
  database: Queryable,
  table: EventTable,
  { userId, range, type }: EventFilter,
  { direction, after }: EventCursor,
  most: number,
): Promise<EventPage<Event>> {
  const name = `timeseries-select-${table.name}-${direction}${type === null ? '' : '-of-type'}`;
  const { start, id } = after ?? beginnings[direction];
  const bounds = [range.startMs, range.endMs].map(isoTime);
  const statement = { name, text: pageOf(table, type !== null, direction) };
  const values = [userId, ...bounds, type, start, id, most];
  const rows = await database.query<Event & { total: number; id: string | null }>(statement, values);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** One event, listed or not. @throws RECORD_NOT_FOUND (404) */
export async function selectEvent<Event extends EventRow>(
  database: Queryable,
  table: EventTable,
  userId: string,
  id: string,
): Promise<Event> {
  const text = `
    select ${shownColumns(table)} from ${table.table} where user_id = $1 and id = $2 and ${table.single ?? 'true'}`;
  const [row] = await database.query<Event>({ name: `timeseries-select-one-of-${table.name}`, text }, [
    userId,
    id,
  ]);
  if (row === undefined) throw recordNotFound(id);
  return row;
}

/** The columns of a workout that the API shows. */
export interface WorkoutRow extends EventRow {
  type: WorkoutType;
  name: string;
  duration_seconds: number;
  calories_kcal: number | null;
  distance_meters: number | null;
  avg_heart_rate_bpm: number | null;
  max_heart_rate_bpm: number | null;
  avg_pace_sec_per_km: number | null;
  elevation_gain_meters: number | null;
  private: boolean | null;
}

/** Workouts. Parents of several workouts and duplicates of a listed workout are not listed. */
export const workoutTable: EventTable = {
  name: 'workouts',
  table: 'timeseries.workout',
  columns: `type, name, duration_seconds, calories_kcal, distance_meters, avg_heart_rate_bpm, max_heart_rate_bpm,
    avg_pace_sec_per_km, elevation_gain_meters, private`,
  listed: 'deleted_at is null and duplicate_of is null and not is_parent',
  single: 'deleted_at is null',
};

/** A workout as its own route returns it. */
export interface SingleWorkoutRow extends WorkoutRow {
  key: string;
  moving_seconds: number | null;
  steps: number | null;
  manual: boolean | null;
  web_upload: boolean | null;
  is_parent: boolean;
  parent_id: string | null;
}

/** Single workouts, listed or not. */
export const singleWorkoutTable: EventTable = {
  ...workoutTable,
  name: 'single-workouts',
  columns: `${workoutTable.columns}, key, moving_seconds, steps, manual, web_upload, is_parent, parent_id`,
};

/** A stored event other than a workout or sleep. */
export interface OtherRow extends EventRow {
  type: OtherEventType;
  data: Record<string, unknown>;
}

/** Events other than workouts and sleep. */
export const otherTable: EventTable = {
  name: 'others',
  table: 'timeseries.other_record',
  columns: 'type, data',
};

/** The columns of a sleep session that the API shows. */
export interface SleepRow extends EventRow {
  is_nap: boolean;
  asleep_seconds: number | null;
  awake_seconds: number | null;
  light_seconds: number | null;
  deep_seconds: number | null;
  rem_seconds: number | null;
}

/** Sleep sessions, including naps. */
export const sleepTable: EventTable = {
  name: 'sleeps',
  table: 'timeseries.sleep_session',
  columns: 'is_nap, asleep_seconds, awake_seconds, light_seconds, deep_seconds, rem_seconds',
};

/** A sleep session with what lists read only on request. */
export interface DetailedSleepRow extends SleepRow {
  unmeasurable_seconds: number | null;
  interruptions: number | null;
  score: number | null;
  stage_intervals: StageSpan[] | null;
  details: SleepDetails | null;
}

/** Sleep sessions with their details. */
export const detailedSleepTable: EventTable = {
  ...sleepTable,
  name: 'detailed-sleeps',
  columns: `${sleepTable.columns}, unmeasurable_seconds, interruptions, score, stage_intervals, details`,
};

/** A row of a record table. */
export type RecordRow = Readonly<Record<string, string | number | boolean | null>> & { readonly id: string };

/** The tables with one row per record, and the columns by which a row replaces an older one, which keeps its id. */
const recordKeys = {
  workout: ['id'],
  sleep_session: ['id'],
  provider_day: ['id'],
  other_record: ['user_id', 'provider', 'type', 'key'],
  day_value: ['user_id', 'provider', 'data_type', 'key'],
} as const;

/** Inserts a record, or replaces the columns of its older version. Returns the id. */
export async function upsertRecord(
  transaction: Queryable,
  table: keyof typeof recordKeys,
  row: RecordRow,
): Promise<string> {
  // The columns are sorted, because the statement is prepared under one name.
  const columns = Object.keys(row).toSorted();
  const keys: readonly string[] = recordKeys[table];
  const replaced = columns.filter((name) => name !== 'id' && !keys.includes(name));
  const statement = {
    name: `timeseries-upsert-${table}`,
    text: `
      insert into timeseries.${table} (${columns.join(', ')})
      values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
      on conflict (${keys.join(', ')}) do update set ${replaced.map((name) => `${name} = excluded.${name}`).join(', ')}
      returning id`,
  };
  const values = columns.map((name) => row[name]);
  const [stored] = await transaction.query<{ id: string }>(statement, values);
  return stored?.id ?? row.id;
}

// The records of an item have its span. An item of samples alone has none.
const itemSpansStatement = {
  name: 'timeseries-select-item-spans',
  text: `
    with asked as (
      select user_id, data_type, key from unnest($1::uuid[]) u (user_id), unnest($3::text[], $4::text[]) t (data_type, key)),
    ids as (
      select a.*, unnest(i.record_ids) as id from asked a
      join timeseries.item i using (user_id, data_type, key) where i.provider = $2),
    spans as (
      select ids.*, w.start_time, w.end_time from ids join timeseries.workout w using (id, user_id)
      union all
      select ids.*, s.start_time, s.end_time from ids join timeseries.sleep_session s using (id, user_id)
      union all
      select ids.*, d.start_time, d.start_time + d.duration_seconds * interval '1 s'
        from ids join timeseries.provider_day d using (id, user_id)
      union all
      select a.*, d.id, d.start_time, d.start_time + d.duration_seconds * interval '1 s'
        from asked a join timeseries.day_value d using (user_id, data_type, key) where d.provider = $2
      union all
      select a.*, c.id, c.start_time, c.end_time
        from asked a join timeseries.score c using (user_id, data_type, key) where c.provider = $2)
    select user_id, data_type, key, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      greatest(extract(epoch from end_time) * 1000, extract(epoch from start_time) * 1000 + 1)::float8 as end_ms
    from spans`,
};

/** The spans that items have as they are stored, at each of the users. */
export function selectItemSpans(
  database: Queryable,
  { user_ids, provider, items }: ParamsOf<typeof timeseries, 'findItems'>,
): Promise<StoredSpan[]> {
  return database.query<StoredSpan>(itemSpansStatement, [
    user_ids,
    provider,
    ...columnsOf(items, 'data_type', 'key'),
  ]);
}

/** The id and the time span of a stored daily record. */
export interface DayRow {
  readonly id: string;
  readonly date: string;
  readonly start_ms: number;
  readonly duration_seconds: number;
}

const dayOfKeyStatement = {
  name: 'timeseries-select-day',
  text: `
    select id, date::text, (extract(epoch from start_time) * 1000)::float8 as start_ms, duration_seconds
    from timeseries.provider_day where user_id = $1 and provider = $2 and key = $3`,
};

/** The stored day of a provider's key. */
export async function selectDay(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<DayRow | undefined> {
  const [row] = await transaction.query<DayRow>(dayOfKeyStatement, [userId, provider, key]);
  return row;
}

/** Deletes events by their ids. */
export async function deleteOthers(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  const text = 'delete from timeseries.other_record where user_id = $1 and id = any($2::uuid[])';
  await transaction.query(text, [userId, ids]);
}
