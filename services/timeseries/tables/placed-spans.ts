import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Whose } from './known-clocks.ts';

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

const ms = (column: string, name: string) => `(extract(epoch from ${column}) * 1000)::float8 as "${name}"`;
const columns = `provider, time_zone as "timeZone", ${ms('start_time', 'startMs')}, ${ms('end_time', 'endMs')}`;
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
  { user_id, provider }: Whose,
  { startMs, endMs }: Range,
  timeZone: string | null,
): Promise<void> {
  await transaction.query(widenStatement, [user_id, provider, startMs, endMs, timeZone]);
}

/** Marks a range of a provider's data as due. */
export async function markDue(
  transaction: Queryable,
  { user_id, provider }: Whose,
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
    `select ${columns}, ${ms('due_from', 'dueFromMs')}, ${ms('due_to', 'dueToMs')} from timeseries.placed_span
     where user_id = $1 and due_from is not null order by provider limit 1`,
    [userId],
  );
  return row;
}

/** Notes that a due span is done up to an instant; null: all of it. */
export async function markDone(
  transaction: Queryable,
  { user_id, provider }: Whose,
  untilMs: number | null,
): Promise<void> {
  await transaction.query(
    `update timeseries.placed_span
     set due_from = ${instant('$3')}, due_to = case when $3::float8 is not null then due_to end
     where user_id = $1 and provider = $2`,
    [user_id, provider, untilMs],
  );
}
