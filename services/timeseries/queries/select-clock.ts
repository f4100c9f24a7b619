import type { Queryable } from '../../../mixins/database/database.ts';

/** The offset of a user's clock as an item reported it, and the instant of the report. */
export interface ClockRow {
  zone_offset_minutes: number;
  start_ms: number;
}

const statement = {
  name: 'timeseries-select-clock',
  text: `
    select zone_offset_minutes, (extract(epoch from start_time) * 1000)::float8 as start_ms
    from timeseries.user_clock where user_id = $1`,
};

/** The latest known clock of a user. */
export async function selectClock(transaction: Queryable, userId: string): Promise<ClockRow | undefined> {
  const [row] = await transaction.query<ClockRow>(statement, [userId]);
  return row;
}
