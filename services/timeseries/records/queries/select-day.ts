import type { Queryable } from '../../../../mixins/database/database.ts';

/** The id and the time span of a stored daily record. */
export interface DayRow {
  readonly id: string;
  readonly date: string;
  readonly start_ms: number;
  readonly duration_seconds: number;
}

const statement = {
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
  const [row] = await transaction.query<DayRow>(statement, [userId, provider, key]);
  return row;
}
