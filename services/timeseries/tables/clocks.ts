import type { StoreItem } from '../../../domain/records/records.ts';
import { farthestOffsetMs, type KnownClock, nearMs } from '../../../domain/time/clocks.ts';
import { dayMs, hourMs, localDate, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { clockedParts } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import { columnsOf } from './arrays.ts';

/*
 * What is known of a user's clocks: the stored records that state an offset, and the hours for which any data states one.
 */

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const inRange =
  "user_id = $1 and provider = $2 and start_time >= $3::timestamptz - interval '3 days' and start_time <= $4";

// A record that reaches into the range began at most three days before it.
const recordClocksStatement = {
  name: 'timeseries-select-record-clocks',
  text: `
    select ${ms('start_time')} as "startMs", ${ms('end_time')} as "endMs", zone_offset_minutes as "offset"
    from (
      select start_time, end_time, zone_offset_minutes from timeseries.sleep_session where ${inRange} and zone_reported
      union all
      select start_time, end_time, zone_offset_minutes from timeseries.workout
      where ${inRange} and zone_reported and deleted_at is null
      union all
      select start_time, start_time + duration_seconds * interval '1 second', zone_offset_minutes
      from timeseries.provider_day
      where user_id = $1 and provider = $2 and zone_reported
        and date >= ($3::timestamptz at time zone 'UTC')::date - 3 and date <= ($4::timestamptz at time zone 'UTC')::date + 1
      union all
      select start_time, end_time, zone_offset_minutes from timeseries.score
      where ${inRange} and zone_offset_minutes is not null) known`,
};

/** The clocks of a provider's records that may be near an instant or local time of a range. */
export function selectRecordClocks(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  { startMs, endMs }: Range,
): Promise<KnownClock[]> {
  const marginMs = nearMs + farthestOffsetMs;
  const bounds = [new Date(startMs - marginMs), new Date(endMs + marginMs)];
  return transaction.query<KnownClock>(recordClocksStatement, [user_id, provider, ...bounds]);
}

/** An item whose clock is that of the item of the type `clock_of` with the same key. */
export interface NamingItem {
  readonly clock_of: string;
  readonly key: string;
}

/** The clock of a named record, and its local day. */
export interface NamedClock {
  readonly offset: number;
  readonly date: string;
}

const namedStatement = {
  name: 'timeseries-select-named-clocks',
  text: `
    select t.clock_of, t.key, r.zone_offset_minutes as "offset", r.date::text
    from unnest($3::text[], $4::text[]) t (clock_of, key)
    join timeseries.item i on i.user_id = $1 and i.provider = $2 and i.data_type = t.clock_of and i.key = t.key
    cross join lateral (
      select zone_offset_minutes, date from timeseries.sleep_session where id = any(i.record_ids) and zone_reported
      union all
      select zone_offset_minutes, local_date from timeseries.workout
      where id = any(i.record_ids) and zone_reported and deleted_at is null
      limit 1) r`,
};

/** The clocks of the records that items name, of those that are stored and state one. */
export async function selectNamedClocks(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  items: readonly NamingItem[],
): Promise<(item: NamingItem) => NamedClock | undefined> {
  if (items.length === 0) return () => undefined;
  const columns = columnsOf(items, 'clock_of', 'key');
  const rows = await transaction.query<NamingItem & NamedClock>(namedStatement, [
    user_id,
    provider,
    ...columns,
  ]);
  const byName = new Map(rows.map((row) => [`${row.clock_of} ${row.key}`, row]));
  return ({ clock_of, key }) => byName.get(`${clock_of} ${key}`);
}

/** Hours of UTC days for which clocks are known, by day and offset. */
export class KnownHours {
  readonly #hours = new Map<string, { day: number; offset: number; hours: number }>();

  add(ms: number, offset: number | null): void {
    if (offset === null) return;
    const day = Math.floor(ms / dayMs);
    const key = `${day} ${offset}`;
    const entry = this.#hours.get(key) ?? { day, offset, hours: 0 };
    entry.hours |= 1 << Math.floor((ms - day * dayMs) / hourMs);
    this.#hours.set(key, entry);
  }

  /** Adds what an item states. */
  addItem({ samples, ...item }: StoreItem): void {
    for (const { start_ms, zone_offset_minutes } of [
      ...clockedParts({ ...item, samples: [] }),
      ...item.scores,
    ])
      this.add(start_ms, zone_offset_minutes);
    for (const { base_ms, at, zone_offset_minutes } of samples) {
      let lastHour = Number.NaN;
      if (zone_offset_minutes !== null)
        for (const offset of at) {
          const hour = Math.floor((base_ms + offset) / hourMs);
          if (hour !== lastHour) this.add(base_ms + offset, zone_offset_minutes);
          lastHour = hour;
        }
    }
  }

  /** Stores them. Returns the span of the days of which hours are new, null if there are none. */
  async store(transaction: Queryable, userId: string): Promise<Range | null> {
    const rows = [...this.#hours.values()];
    if (rows.length === 0) return null;
    const days = rows.map(({ day }) => localDate(day * dayMs, 0));
    const [row] = await transaction.query<{ startMs: number | null; endMs: number | null }>(
      addHoursStatement,
      [userId, days, ...columnsOf(rows, 'offset', 'hours')],
    );
    const { startMs = null, endMs = null } = row ?? {};
    return startMs === null || endMs === null ? null : { startMs, endMs };
  }
}

const addHoursStatement = {
  name: 'timeseries-add-clock-hours',
  text: `
    with added as (
      insert into timeseries.clock_day as c (user_id, day, zone_offset_minutes, hours)
      select $1, * from unnest($2::date[], $3::smallint[], $4::int[])
      on conflict (user_id, day, zone_offset_minutes) do update set hours = c.hours | excluded.hours
        where c.hours & excluded.hours <> excluded.hours
      returning day)
    select ${ms('min(day)')} as "startMs", ${ms('max(day) + 1')} as "endMs" from added`,
};

// Days of the range, and the nearest ones around it.
const hoursAround = {
  name: 'timeseries-select-clock-hours',
  text: `
    select ${ms('day')} as day_ms, zone_offset_minutes as "offset", hours from timeseries.clock_day
    where user_id = $1
      and day >= coalesce((select max(day) from timeseries.clock_day where user_id = $1 and day < $2), $2)
      and day <= coalesce((select min(day) from timeseries.clock_day where user_id = $1 and day > $3), $3)`,
};

/** The clocks that any data of a user states in a range, and the nearest ones before and after it. */
export async function selectHourClocks(
  transaction: Queryable,
  userId: string,
  { startMs, endMs }: Range,
): Promise<KnownClock[]> {
  const rows = await transaction.query<{ day_ms: number; offset: number; hours: number }>(hoursAround, [
    userId,
    localDate(startMs - farthestOffsetMs, 0),
    localDate(endMs + farthestOffsetMs, 0),
  ]);
  return rows.flatMap(({ day_ms, offset, hours }) =>
    Array.from({ length: 24 }, (_, hour) => hour)
      .filter((hour) => ((hours >> hour) & 1) === 1)
      .map((hour) => ({ startMs: day_ms + hour * hourMs, endMs: day_ms + (hour + 1) * hourMs, offset })),
  );
}

const newestStatement = {
  name: 'timeseries-select-newest-clock',
  text: `
    select zone_offset_minutes from timeseries.clock_day where user_id = $1 order by day desc, hours desc limit 1`,
};

/** The newest known clock of a user, for the date of today. Undefined: none is known. */
export async function selectNewestClock(database: Queryable, userId: string): Promise<number | undefined> {
  const [row] = await database.query<{ zone_offset_minutes: number }>(newestStatement, [userId]);
  return row?.zone_offset_minutes;
}

/** The span of a provider's data that was placed by another clock than its own. */
export interface PlacedSpan extends Range {
  readonly provider: string;
  /** The user's time zone as of the last of it. */
  readonly timeZone: string | null;
}

/** A span of which a job places a part again. */
interface DueSpan extends PlacedSpan {
  readonly dueFromMs: number;
  readonly dueToMs: number;
}

const namedMs = (column: string, name: string) =>
  `(extract(epoch from ${column}) * 1000)::float8 as "${name}"`;
const columns = `provider, time_zone as "timeZone", ${namedMs('start_time', 'startMs')}, ${namedMs('end_time', 'endMs')}`;
const instant = (place: string) => `to_timestamp(${place}::float8 / 1000)`;

const selectStatement = {
  name: 'timeseries-select-placed-spans',
  text: `select ${columns} from timeseries.placed_span where user_id = $1`,
};

/** The spans of a user. */
export function selectPlacedSpans(transaction: Queryable, userId: string): Promise<PlacedSpan[]> {
  return transaction.query<PlacedSpan>(selectStatement, [userId]);
}

const widenStatement = {
  name: 'timeseries-widen-placed-span',
  text: `
    insert into timeseries.placed_span as p (user_id, provider, start_time, end_time, time_zone)
    values ($1, $2, ${instant('$3')}, ${instant('$4')}, $5)
    on conflict (user_id, provider) do update
      set start_time = least(p.start_time, excluded.start_time), end_time = greatest(p.end_time, excluded.end_time),
        time_zone = excluded.time_zone
      where excluded.start_time < p.start_time or excluded.end_time > p.end_time
        or excluded.time_zone is distinct from p.time_zone`,
};

/** Adds data that was placed by the clocks of a time zone, or of none. */
export async function widenPlacedSpan(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  { startMs, endMs }: Range,
  timeZone: string | null,
): Promise<void> {
  await transaction.query(widenStatement, [user_id, provider, startMs, endMs, timeZone]);
}

/** Marks a range of a provider's data as due. */
export async function markDue(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  { startMs, endMs }: Range,
): Promise<void> {
  await transaction.query(
    `update timeseries.placed_span
     set due_from = least(due_from, ${instant('$3')}), due_to = greatest(due_to, ${instant('$4')})
     where user_id = $1 and provider = $2`,
    [user_id, provider, startMs, endMs],
  );
}

/** Gives the spans of a user another time zone. All of it is due then. Returns whether there are any. */
export async function changeZone(
  transaction: Queryable,
  userId: string,
  timeZone: string | null,
): Promise<boolean> {
  const rows = await transaction.query(
    `update timeseries.placed_span set time_zone = $2, due_from = start_time, due_to = end_time
     where user_id = $1 and time_zone is distinct from $2 returning provider`,
    [userId, timeZone],
  );
  return rows.length > 0;
}

/** A span of a user of which a part is due. */
export async function selectDueSpan(transaction: Queryable, userId: string): Promise<DueSpan | undefined> {
  const [row] = await transaction.query<DueSpan>(
    `select ${columns}, ${namedMs('due_from', 'dueFromMs')}, ${namedMs('due_to', 'dueToMs')} from timeseries.placed_span
     where user_id = $1 and due_from is not null order by provider limit 1`,
    [userId],
  );
  return row;
}

/** Notes that a due span is done up to an instant; null: all of it. */
export async function markDone(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  untilMs: number | null,
): Promise<void> {
  await transaction.query(
    `update timeseries.placed_span
     set due_from = ${instant('$3')}, due_to = case when $3::float8 is not null then due_to end
     where user_id = $1 and provider = $2`,
    [user_id, provider, untilMs],
  );
}
