import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserProvider } from '../rules/sources.ts';
import { columnsOf } from './arrays.ts';
import type { NamingItem } from './clocks.ts';
import type { IntervalRow } from './interval-values.ts';
import type { StoredSample } from './samples.ts';

/*
 * Rows that were placed by another clock than their own. Those of a range are few beside a provider's other rows only where
 * the provider states most offsets, so that no index serves them.
 */

/** An instant as milliseconds since 1970. */
export const millisecondsAs = (column: string, name: string) =>
  `(extract(epoch from ${column}) * 1000)::float8 as ${name}`;
const within = (column: string) =>
  `${column} >= to_timestamp($3::float8 / 1000) and ${column} <= to_timestamp($4::float8 / 1000)`;
const valuesOf = ({ user_id, provider }: UserProvider, { startMs, endMs }: Range) => [
  user_id,
  provider,
  startMs,
  endMs,
];

/** A sample or an interval that was placed. */
export interface Placed {
  readonly zone_offset_minutes: number;
  readonly placed_by: number;
}

const samplesStatement = {
  name: 'timeseries-select-placed-samples',
  text: `
    select x.series_id, ${millisecondsAs('x.ts', 'ms')}, x.value, x.zone_offset_minutes, x.placed_by
    from timeseries.series s
    join timeseries.sample x on x.series_id = s.id and ${within('x.ts')}
    where s.user_id = $1 and s.provider = $2 and not s.is_interval and x.placed_by is not null
    limit $5`,
};

/** At most so many placed samples of a range. */
export function selectPlacedSamples(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
  most: number,
): Promise<(StoredSample & Placed)[]> {
  return transaction.query<StoredSample & Placed>(samplesStatement, [...valuesOf(whose, range), most]);
}

const intervalsStatement = {
  name: 'timeseries-select-placed-intervals',
  text: `
    select v.key, v.series_id, floor(extract(epoch from v.start_time) * 1000)::float8 as start_ms, v.duration_ms, v.value,
      v.zone_offset_minutes, v.placed_by
    from timeseries.series s
    join timeseries.interval_value v on v.series_id = s.id and ${within('v.start_time')}
    where s.user_id = $1 and s.provider = $2 and s.is_interval and v.placed_by is not null
    limit $5`,
};

/** At most so many placed intervals of a range. */
export function selectPlacedIntervals(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
  most: number,
): Promise<(IntervalRow & Placed)[]> {
  return transaction.query<IntervalRow & Placed>(intervalsStatement, [...valuesOf(whose, range), most]);
}

/** The tables of records, with the column of their local day and the instant that it is of. */
const recordTables = {
  workout: { date: 'local_date', at: 'start_time' },
  sleep_session: { date: 'date', at: 'end_time' },
  other_record: { date: 'local_date', at: 'start_time' },
  provider_day: { date: 'date', at: 'start_time' },
  day_value: { date: 'date', at: 'start_time' },
  score: { date: 'date', at: 'start_time' },
} as const;

/** The name of a table of records. */
type PlacedTable = keyof typeof recordTables;

/** A record that was placed, with the instant and the date of its local day. */
export interface PlacedRecord extends Placed {
  readonly table: PlacedTable;
  readonly id: string;
  readonly ms: number;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly date: string;
}

/** The end of the rows of a table of records. */
export const endOf = (table: string) =>
  ['provider_day', 'day_value'].includes(table)
    ? "start_time + duration_seconds * interval '1 second'"
    : 'end_time';

const recordsStatement = {
  name: 'timeseries-select-placed-records',
  text: Object.entries(recordTables)
    .map(
      ([table, { date, at }]) => `
        select '${table}' as table, id, ${millisecondsAs(at, 'ms')}, ${millisecondsAs('start_time', 'start_ms')}, ${millisecondsAs(endOf(table), 'end_ms')},
          ${date}::text as date, coalesce(zone_offset_minutes, 0) as zone_offset_minutes, placed_by
        from timeseries.${table} where user_id = $1 and provider = $2 and placed_by is not null and ${within('start_time')}`,
    )
    .join(' union all '),
};

/** The placed records that start in a range. */
export function selectPlacedRecords(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
): Promise<PlacedRecord[]> {
  return transaction.query<PlacedRecord>(recordsStatement, valuesOf(whose, range));
}

/** Where a record is moved to. */
interface MovedRecord extends Pick<PlacedRecord, 'id' | 'start_ms' | 'date' | 'zone_offset_minutes'> {
  readonly placed_by: number;
}

/** Writes the clocks of records of a table. Scores and values of a day keep the offset that was sent: none. */
export async function moveRecords(
  transaction: Queryable,
  table: PlacedTable,
  moved: readonly MovedRecord[],
): Promise<void> {
  const isDateOnly = table === 'score' || table === 'day_value';
  const assignments = [
    `${recordTables[table].date} = t.date`,
    'placed_by = t.placed_by',
    ...(isDateOnly ? [] : ['zone_offset_minutes = t.zone']),
    ...(table === 'provider_day' ? ['start_time = to_timestamp(t.start_ms / 1000)'] : []),
  ];
  await transaction.query(
    {
      name: `timeseries-move-${table}`,
      text: `
        update timeseries.${table} r set ${assignments.join(', ')}
        from unnest($1::uuid[], $2::date[], $3::smallint[], $4::smallint[], $5::float8[])
          t (id, date, zone, placed_by, start_ms)
        where r.id = t.id`,
    },
    columnsOf(moved, 'id', 'date', 'zone_offset_minutes', 'placed_by', 'start_ms'),
  );
}

/** A block of an activity's samples, or a part of a slot, that was placed. */
export interface PlacedPart extends Placed {
  readonly kind: 'activity_block' | 'epoch_part';
  readonly ctid: string;
  readonly ms: number;
}

// Blocks are of one UTC day. The clock of a block is that of its noon.
const partsStatement = {
  name: 'timeseries-select-placed-parts',
  text: `
    select 'activity_block' as kind, ctid::text, ${millisecondsAs("day + interval '12 hours'", 'ms')}, zone_offset_minutes, placed_by
    from timeseries.activity_block
    where user_id = $1 and provider = $2 and placed_by is not null
      and day >= (to_timestamp($3::float8 / 1000) at time zone 'UTC')::date
      and day <= (to_timestamp($4::float8 / 1000) at time zone 'UTC')::date
    union all
    select 'epoch_part', ctid::text, ${millisecondsAs('start_time', 'ms')}, zone_offset_minutes, placed_by
    from timeseries.epoch_part where user_id = $1 and provider = $2 and placed_by is not null and ${within('start_time')}`,
};

/** The placed blocks of activities and parts of slots of a range. */
export function selectPlacedParts(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
): Promise<PlacedPart[]> {
  return transaction.query<PlacedPart>(partsStatement, valuesOf(whose, range));
}

/** Writes the clocks of parts. The caller holds the user's lock since it selected them, so that their places stand. */
export async function moveParts(
  transaction: Queryable,
  kind: PlacedPart['kind'],
  moved: readonly (Placed & { readonly ctid: string; readonly date: string })[],
): Promise<void> {
  const date = kind === 'epoch_part' ? ', local_date = t.date' : '';
  await transaction.query(
    `update timeseries.${kind} p set zone_offset_minutes = t.zone, placed_by = t.placed_by${date}
     from unnest($1::text[], $2::smallint[], $3::smallint[], $4::date[]) t (place, zone, placed_by, date)
     where p.ctid = t.place::tid`,
    columnsOf(moved, 'ctid', 'zone_offset_minutes', 'placed_by', 'date'),
  );
}

/** The span of an item that has the clock of another one. */
interface NamingSpan extends NamingItem, Range {}

const namingStatement = {
  name: 'timeseries-select-naming-items',
  text: `
    select clock_of, key, ${millisecondsAs('clock_from', '"startMs"')}, ${millisecondsAs('clock_to', '"endMs"')} from timeseries.item
    where user_id = $1 and provider = $2 and clock_of is not null
      and clock_from <= to_timestamp($4::float8 / 1000) and clock_to >= to_timestamp($3::float8 / 1000)`,
};

/** The items around a range that have the clocks of others. */
export function selectNaming(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
): Promise<NamingSpan[]> {
  return transaction.query<NamingSpan>(namingStatement, valuesOf(whose, range));
}

const waitingStatement = {
  name: 'timeseries-select-waiting-items',
  text: `
    select i.clock_of, i.key, ${millisecondsAs('clock_from', '"startMs"')}, ${millisecondsAs('clock_to', '"endMs"')}
    from unnest($3::text[], $4::text[]) t (data_type, key)
    join timeseries.item i on i.user_id = $1 and i.provider = $2 and i.clock_of = t.data_type and i.key = t.key`,
};

/** The items that have the clocks of the given ones. */
export function selectWaiting(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  items: readonly { readonly data_type: string; readonly key: string }[],
): Promise<NamingSpan[]> {
  const values = [user_id, provider, ...columnsOf(items, 'data_type', 'key')];
  return transaction.query<NamingSpan>(waitingStatement, values);
}

const noteNamingStatement = {
  name: 'timeseries-note-naming-items',
  text: `
    update timeseries.item i
    set clock_of = t.clock_of, clock_from = to_timestamp(t.from_ms / 1000), clock_to = to_timestamp(t.to_ms / 1000)
    from unnest($3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[]) t (data_type, key, clock_of, from_ms, to_ms)
    where i.user_id = $1 and i.provider = $2 and i.data_type = t.data_type and i.key = t.key`,
};

/** Notes which items have the clocks of others, and their spans. */
export async function noteNaming(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  items: readonly (NamingSpan & { readonly data_type: string })[],
): Promise<void> {
  if (items.length === 0) return;
  const columns = columnsOf(items, 'data_type', 'key', 'clock_of', 'startMs', 'endMs');
  await transaction.query(noteNamingStatement, [user_id, provider, ...columns]);
}
