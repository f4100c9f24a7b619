import { dayMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { columnsOf } from './arrays.ts';

/** Encoded samples of an activity in one series and UTC day. */
export interface ActivityBlockRow extends SeriesDay {
  readonly placed_by: number | null;
  readonly data_type: string;
  readonly key: string;
  readonly hash: string;
  readonly part: number;
  readonly zone_offset_minutes: number;
  readonly times: Buffer;
  readonly vals: Buffer;
}

/** Instants of a deleted block. */
export type BlockTimesRow = Pick<ActivityBlockRow, 'series_id' | 'day' | 'times'>;

const insert = {
  name: 'timeseries-insert-activity-blocks',
  text: `
    insert into timeseries.activity_block
      (user_id, provider, data_type, key, hash, part, series_id, day, zone_offset_minutes, placed_by, times, vals)
    select $1, $2, data_type, key, hash, part, series_id, date '1970-01-01' + day, zone_offset_minutes, placed_by, times,
      vals
    from unnest($3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[], $9::smallint[], $10::smallint[],
      $11::bytea[], $12::bytea[])
      t (data_type, key, hash, part, series_id, day, zone_offset_minutes, placed_by, times, vals)`,
};

/** Stores blocks. Of two that contain one instant the later in the list counts. */
export async function insertActivityBlocks(
  transaction: Queryable,
  userId: string,
  provider: string,
  rows: readonly ActivityBlockRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const texts = columnsOf(rows, 'data_type', 'key', 'hash');
  const numbers = columnsOf(rows, 'part', 'series_id', 'day', 'zone_offset_minutes', 'placed_by');
  const values = [userId, provider, ...texts, ...numbers, ...columnsOf(rows, 'times', 'vals')];
  await transaction.query(insert, values);
}

/** A part of a version that is being stored. `ends`: it is the last part. */
export type StoredPart = Pick<ActivityBlockRow, 'data_type' | 'key' | 'hash' | 'part'> & {
  readonly ends: boolean;
};

const blockTimes = "b.series_id, b.day - date '1970-01-01' as day, b.times";

// The list of keys lets the planner find the rows of these activities by index. The join alone reads all rows of the
// user.
const deleteReplaced = {
  name: 'timeseries-delete-replaced-blocks',
  text: `
    delete from timeseries.activity_block b
    using jsonb_to_recordset($3) t (data_type text, key text, hash text, part int, ends boolean)
    where b.user_id = $1 and b.provider = $2 and b.key = any($4) and b.key = t.key and b.data_type = t.data_type
      and (b.hash = t.hash and b.part = t.part or t.ends and (b.hash <> t.hash or b.part > t.part))
    returning ${blockTimes}`,
};

/** Deletes the blocks that parts replace: the same part stored before, and with the last part every other version. */
export async function deleteReplacedBlocks(
  transaction: Queryable,
  userId: string,
  provider: string,
  parts: readonly StoredPart[],
): Promise<BlockTimesRow[]> {
  if (parts.length === 0) return [];
  const keys = parts.map(({ key }) => key);
  const values = [userId, provider, JSON.stringify(parts), keys];
  return transaction.query<BlockTimesRow>(deleteReplaced, values);
}

const deleteAll = {
  name: 'timeseries-delete-activity-blocks',
  text: `
    delete from timeseries.activity_block b where b.user_id = $1 and b.provider = $2 and b.key = any($3)
    returning ${blockTimes}`,
};

/** Deletes all blocks of activities. */
export function deleteActivityBlocks(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<BlockTimesRow[]> {
  return transaction.query<BlockTimesRow>(deleteAll, [userId, provider, keys]);
}

/** A block with its samples. */
export type ShownBlockRow = Omit<ActivityBlockRow, 'data_type' | 'key' | 'hash' | 'part'>;

const selectShown = {
  name: 'timeseries-select-shown-blocks',
  text: `
    select b.series_id, b.day - date '1970-01-01' as day, b.zone_offset_minutes, b.placed_by, b.times,
      b.vals
    from unnest($1::int[], $2::int[]) t (series_id, day)
    join timeseries.activity_block b on b.series_id = t.series_id and b.day = date '1970-01-01' + t.day
    order by b.id desc`,
};

/** The blocks of all activities with samples on the given days, newest first. */
export async function selectShownBlocks(
  transaction: Queryable,
  days: readonly SeriesDay[],
): Promise<ShownBlockRow[]> {
  return transaction.query<ShownBlockRow>(selectShown, columnsOf(days, 'series_id', 'day'));
}

/** A block with its contents. */
export interface BlockRow {
  readonly id: string;
  readonly series_id: number;
  readonly times: Buffer;
  readonly vals: Buffer;
}

const selectBlocks = {
  name: 'timeseries-select-blocks-of-activity',
  text: `
    select id, series_id, times, vals from timeseries.activity_block
    where user_id = $1 and provider = $2 and key = $3 and data_type = $4`,
};

/** The blocks of an activity from one data type. */
export function selectBlocksOf(
  transaction: Queryable,
  { user_id, provider, key }: { readonly user_id: string; readonly provider: string; readonly key: string },
  dataType: string,
): Promise<BlockRow[]> {
  return transaction.query<BlockRow>(selectBlocks, [user_id, provider, key, dataType]);
}

const updateContents = {
  name: 'timeseries-update-block',
  text: 'update timeseries.activity_block set times = $2, vals = $3 where id = $1',
};

/** Replaces the contents of a block. */
export async function updateBlock(
  transaction: Queryable,
  id: string,
  times: Buffer,
  vals: Buffer,
): Promise<void> {
  await transaction.query(updateContents, [id, times, vals]);
}

/** Deletes a block. */
export async function deleteBlock(transaction: Queryable, id: string): Promise<void> {
  await transaction.query('delete from timeseries.activity_block where id = $1', [id]);
}

/** A UTC day of a series, counted from 1970-01-01. */
export interface SeriesDay {
  readonly series_id: number;
  readonly day: number;
}

/** Encoded instants of a day of a series. */
interface OtherInstantsRow extends SeriesDay {
  readonly times: Buffer;
}

const select = {
  name: 'timeseries-select-other-instants',
  text: `
    select o.series_id, o.day - date '1970-01-01' as day, o.times
    from unnest($1::int[], $2::int[]) t (series_id, day)
    join timeseries.other_instants o on o.series_id = t.series_id and o.day = date '1970-01-01' + t.day`,
};

/** Instants of the given days at which records other than activities have samples. */
export async function selectOtherInstants(
  transaction: Queryable,
  days: readonly SeriesDay[],
): Promise<OtherInstantsRow[]> {
  if (days.length === 0) return [];
  return transaction.query<OtherInstantsRow>(select, columnsOf(days, 'series_id', 'day'));
}

const upsert = {
  name: 'timeseries-upsert-other-instants',
  text: `
    insert into timeseries.other_instants (series_id, day, times)
    select series_id, date '1970-01-01' + day, times
    from unnest($1::int[], $2::int[], $3::bytea[]) t (series_id, day, times) order by series_id, day
    on conflict (series_id, day) do update set times = excluded.times`,
};

/** Writes the instants of days, replacing the stored ones. */
export async function upsertOtherInstants(
  transaction: Queryable,
  rows: readonly OtherInstantsRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.query(upsert, columnsOf(rows, 'series_id', 'day', 'times'));
}

/** Instants of one UTC day of a series, in milliseconds, ascending and distinct. */
export interface DayInstants extends SeriesDay {
  readonly times: readonly number[];
}

/** The UTC day of an instant, counted from 1970-01-01. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** Key of a day of a series. */
export function dayKey({ series_id, day }: SeriesDay): string {
  return `${series_id} ${day}`;
}

/** Days of series, each once, with all its instants. */
export function mergedDays(days: readonly DayInstants[]): DayInstants[] {
  const groups = Map.groupBy(days, dayKey).values();
  return [...groups].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, times: rest.reduce((all, { times }) => union(all, times), first.times) }],
  );
}

/** The union of two ascending lists. */
export function union(a: readonly number[], b: readonly number[]): readonly number[] {
  const merged: number[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const [x = Infinity, y = Infinity] = [a[i], b[j]];
    merged.push(Math.min(x, y));
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return merged;
}

/** The elements of a list that another one lacks. */
export function without(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.length === 0) return a;
  const excluded = new Set(b);
  return a.filter((time) => !excluded.has(time));
}

/** The days of a list without the instants that another list has on the same days of the same series. */
export function daysWithout(days: readonly DayInstants[], others: readonly DayInstants[]): DayInstants[] {
  const timesOf = new Map(mergedDays(others).map((day) => [dayKey(day), day.times]));
  return days
    .map((day) => ({ ...day, times: without(day.times, timesOf.get(dayKey(day)) ?? []) }))
    .filter(({ times }) => times.length > 0);
}
