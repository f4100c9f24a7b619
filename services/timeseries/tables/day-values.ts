import type { DayValueRecord } from '../../../domain/provider/facts.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { DateCursor } from './activity-days.ts';

/** The id and the time span of a stored daily record. */
export interface DayRow {
  readonly id: string;
  readonly date: string;
  readonly start_ms: number;
  readonly duration_seconds: number;
}

const dayStatement = {
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
  const [row] = await transaction.query<DayRow>(dayStatement, [userId, provider, key]);
  return row;
}

/** The day values of an item. The date is null in the only row of an empty page. */
export interface DayValueRow extends DayValueRecord {
  /** The number of days in the range. Equal in all rows. */
  total: number;
  date: string | null;
}

const statementOf = (order: 'asc' | 'desc') => ({
  name: `timeseries-select-day-values-${order}`,
  text: `
  with dates as materialized (
    select distinct date from timeseries.day_value
    where user_id = $1 and date between $2 and $3 and ($6::text is null or provider = $6)
  ),
  page as (
    select date from dates where $4::date is null or date ${order === 'asc' ? '>' : '<'} $4
    order by date ${order} limit $5
  )
  select c.total, v.*
  from (select count(*)::int as total from dates) c
  left join lateral (
    select d.date::text, d.provider, d.device, d.data_type, (extract(epoch from d.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from d.start_time) * 1000 + d.duration_seconds * 1000.0)::float8 as end_ms, d.zone_offset_minutes,
      d.vals as values, d.extra
    from timeseries.day_value d join page using (date)
    where d.user_id = $1 and ($6::text is null or d.provider = $6)
  ) v on true
  order by v.date ${order}, v.provider, v.data_type, v.start_ms, v.device`,
});

const statements = { asc: statementOf('asc'), desc: statementOf('desc') };

/** The day values of at most `most` local days, from one snapshot. */
export function selectDayValues(
  database: Queryable,
  { userId, firstDate, lastDate, after, order }: DateCursor,
  provider: string | null,
  most: number,
): Promise<DayValueRow[]> {
  return database.query(statements[order], [userId, firstDate, lastDate, after, most, provider]);
}
