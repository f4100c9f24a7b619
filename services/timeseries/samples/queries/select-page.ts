import type { Cursor, Direction } from '../../../../domain/cursor.ts';
import type { Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { piecesOf } from '../range-pieces.ts';
import { isoMicroseconds, type SampleKey } from '../scan-range.ts';
import { type CountedSeries, sampleCountOf, sampleCounts, sampleValues } from './count-series.ts';
import type { SampleRow } from './select-samples.ts';

/** Whose samples are read, and from where. */
export interface PageQuery {
  readonly userId: string;
  readonly typeIds: readonly number[];
  /** The range that is counted. */
  readonly range: Range;
  readonly cursor: Cursor<SampleKey> | null;
  /** The part of the range that is read, in microseconds. */
  readonly first: number;
  readonly end: number;
  readonly most: number;
}

/** The counted series, and the samples of those that are not of intervals, in reading order. */
export interface CountedPage {
  readonly series: CountedSeries[];
  readonly rows: SampleRow[];
}

interface Columns {
  series: CountedSeries[] | null;
  ids: number[] | null;
  at: number[] | null;
  values: number[] | null;
}

// Counting and reading in one statement save a round trip, 0.1 ms of CPU of the process. The result is one row of four lists,
// which is parsed faster than a row per sample. As in scanRangeOf, items of the cursor's time are read from series after
// (backward: before) the cursor's series only.
function statementsOf(direction: Direction) {
  const order = direction === 'next' ? 'asc' : 'desc';
  return Object.fromEntries(
    Object.entries(sampleCounts).map(([key, { name, text, parameters }]) => {
      const at = (place: number) => `$${parameters + place}`;
      const [first, end, cursorSeries, rest, most] = [1, 2, 3, 4, 5].map(at);
      const bound =
        direction === 'next'
          ? `ts >= case when c.id > ${cursorSeries}::int8 then ${first}::timestamptz else ${rest}::timestamptz end`
          : `ts < case when c.id < ${cursorSeries}::int8 then ${end}::timestamptz else ${rest}::timestamptz end`;
      return [
        key,
        {
          name: `${name.replace('count', 'page')}-${direction}`,
          shared: true as const,
          text: `
  with counted as materialized (${text}),
  page as (
    select x.series_id, x.ts, x.value
    from counted c cross join lateral (
      select series_id, ts, value from timeseries.sample
      where series_id = c.id and ts >= ${first} and ts < ${end} and ${bound}
      order by ts ${order} limit ${most}
    ) x
    where c.n > 0 and not c.is_interval
    order by x.ts ${order}, x.series_id ${order} limit ${most}
  )
  select (select json_agg(c) from counted c) as series, json_agg(series_id) as ids,
    json_agg((extract(epoch from ts) * 1000000)::int8) as at, json_agg(value) as values
  from page`,
        },
      ];
    }),
  );
}

const statements = { next: statementsOf('next'), previous: statementsOf('previous') };

/** Counts a user's series of the given types in a range, and reads at most `most` samples of a part of it. */
export async function selectPage(database: Queryable, query: PageQuery): Promise<CountedPage> {
  const { userId, typeIds, range, cursor, most } = query;
  const pieces = piecesOf(range);
  const statement = statements[cursor?.direction ?? 'next'][sampleCountOf(pieces)];
  if (statement === undefined) throw new Error('no statement reads this page');
  const values = [...sampleValues(userId, typeIds, pieces), ...boundsOf(query), most];
  const [row] = await database.query<Columns>(statement, values);
  const { at, values: read } = { at: row?.at ?? [], values: row?.values ?? [] };
  const rows = (row?.ids ?? []).map((series_id, place) => ({
    series_id,
    at: at[place] ?? Number.NaN,
    value: read[place] ?? Number.NaN,
  }));
  return { series: row?.series ?? [], rows };
}

// Ids of series begin with 1, so without a cursor all of them are after it.
function boundsOf({ cursor, first, end }: PageQuery): unknown[] {
  const within = (at: number) => Math.min(end, Math.max(first, at));
  const [at, series] = cursor?.key ?? [first - 1, 0];
  const [from, to, rest] =
    cursor?.direction === 'previous'
      ? [first, within(at + 1), within(at)]
      : [within(at), end, within(at + 1)];
  return [isoMicroseconds(from), isoMicroseconds(to), series, isoMicroseconds(rest)];
}
