import type { StageSpan } from '../../../../domain/records/records.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { FactRange } from '../fact-range.ts';

/** A sleep session of a local day. */
export interface SessionRow {
  readonly date: string;
  readonly provider: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number;
  readonly is_nap: boolean;
  readonly asleep_seconds: number | null;
  readonly deep_seconds: number | null;
  readonly rem_seconds: number | null;
  readonly stage_intervals: StageSpan[] | null;
}

const statement = {
  name: 'timeseries-select-session-facts',
  text: `
    select date::text, provider, device, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, zone_offset_minutes, is_nap, asleep_seconds, deep_seconds,
      rem_seconds, stage_intervals
    from timeseries.sleep_session where user_id = $1 and date between $2 and $3
    order by date, start_time, id`,
};

/** The sleep sessions of local days of waking up. */
export const selectSessions = (database: Queryable, { user_id, first_date, last_date }: FactRange) =>
  database.query<SessionRow & { date: string }>(statement, [user_id, first_date, last_date]);
