import type { Queryable } from '../../../mixins/database.ts';

/** A stored session that overlaps another one of its kind. */
export interface SleepVersionRow {
  id: string;
  rank: number;
  asleep_seconds: number;
  span_seconds: number;
}

const statement = {
  name: 'timeseries-select-overlapping-sleeps',
  text: `
    select id, rank, asleep_seconds, extract(epoch from end_time - start_time)::float8 as span_seconds
    from timeseries.sleep_session
    where user_id = $1 and provider = $2 and is_nap = $3
      and start_time > to_timestamp($4::float8 / 1000) - interval '7 days'
      and start_time < to_timestamp($5::float8 / 1000) and end_time > to_timestamp($4::float8 / 1000)`,
};

/** Sessions of the provider that overlap a span, naps apart from main sleeps. */
export function selectOverlappingSleeps(
  transaction: Queryable,
  userId: string,
  provider: string,
  session: { is_nap: boolean; start_ms: number; end_ms: number },
): Promise<SleepVersionRow[]> {
  const { is_nap, start_ms, end_ms } = session;
  return transaction.query<SleepVersionRow>(statement, [userId, provider, is_nap, start_ms, end_ms]);
}
