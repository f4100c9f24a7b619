import type { NightMeans } from '../../../domain/provider/facts.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { nightTypes } from '../rules/night-types.ts';
import type { DateCursor } from './activity-days.ts';

/** One provider's sessions of a local day, summed. */
export interface NightRow extends NightMeans {
  /** The number of days in the range. Equal in all rows. */
  total: number;
  /** Null in the only row of an empty page. */
  date: string | null;
  provider: string;
  device: string;
  sessions: number;
  /** Starts of the main sessions in time order. Null if there are naps only. */
  starts_ms: number[] | null;
  ends_ms: number[] | null;
  asleep_seconds: number | null;
  deep_seconds: number | null;
  light_seconds: number | null;
  rem_seconds: number | null;
  awake_seconds: number | null;
  interruptions: number | null;
  /** Whether each main session has a measured stage. Null if there are naps only. */
  is_staged: boolean | null;
  nap_count: number;
  nap_seconds: number | null;
  /** Whether the means are kept and up to date. Otherwise they are null. */
  is_kept: boolean;
}

const main = 'filter (where not is_nap)';
// Null if the time asleep of any session is not known.
const asleep = (filter: string) =>
  `case when bool_and(asleep_seconds is not null) ${filter} then sum(asleep_seconds) ${filter} end`;
const times = (column: string) =>
  `array_agg((extract(epoch from ${column}) * 1000)::float8 order by start_time) ${main}`;

/** Aggregates of the sessions of a night: the device whose means are preferred, and the bounds of its main sessions. */
export const nightBounds = `
  (array_agg(device order by is_nap, asleep_seconds desc nulls last, start_time))[1] as device,
  ${times('start_time')} as starts_ms, ${times('end_time')} as ends_ms`;

const means = nightTypes.map((type) => `m.${type}`).join(', ');

const statementOf = (order: 'asc' | 'desc') => ({
  name: `timeseries-select-nights-${order}`,
  text: `
  with dates as materialized (
    select distinct date from timeseries.sleep_session where user_id = $1 and date between $2 and $3
  ),
  page as materialized (
    select date from dates where $4::date is null or date ${order === 'asc' ? '>' : '<'} $4
    order by date ${order} limit $5
  ),
  night as (
    select date, provider, ${nightBounds}, count(*) ${main} as sessions,
      ${asleep(main)} as asleep_seconds, sum(deep_seconds) ${main} as deep_seconds,
      sum(light_seconds) ${main} as light_seconds, sum(rem_seconds) ${main} as rem_seconds,
      sum(awake_seconds) ${main} as awake_seconds, sum(interruptions) ${main} as interruptions,
      bool_and(coalesce(greatest(deep_seconds, light_seconds, rem_seconds, awake_seconds), 0) > 0) ${main} as is_staged,
      count(*) filter (where is_nap) as nap_count, ${asleep('filter (where is_nap)')} as nap_seconds
    from timeseries.sleep_session join page using (date)
    where user_id = $1 and date between $2 and $3
    group by date, provider
  )
  select c.total, n.date::text, n.provider, n.device, n.sessions::int, n.starts_ms, n.ends_ms, n.asleep_seconds::float8,
    n.deep_seconds::float8, n.light_seconds::float8, n.rem_seconds::float8, n.awake_seconds::float8,
    n.interruptions::float8, n.is_staged, n.nap_count::int, n.nap_seconds::float8,
    m.user_id is not null as is_kept, ${means}
  from (select count(*)::int as total from dates) c left join night n on true
  left join timeseries.night_mean m
    on m.user_id = $1 and m.date between $2 and $3 and m.date = n.date and m.provider = n.provider and not m.stale
  order by n.date ${order}, n.provider`,
});

const statements = { asc: statementOf('asc'), desc: statementOf('desc') };

/** The sleep of at most `most` local days of waking up. */
export function selectNights(
  database: Queryable,
  { userId, firstDate, lastDate, after, order }: DateCursor,
  most: number,
): Promise<NightRow[]> {
  return database.query<NightRow>(statements[order], [userId, firstDate, lastDate, after, most]);
}
