import { dayMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { columnsOf } from './arrays.ts';

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
