import type { Queryable } from '../../../../mixins/database/database.ts';
import type { ClockRow } from '../../queries/select-clock.ts';

const statement = {
  name: 'timeseries-upsert-clock',
  text: `
    insert into timeseries.user_clock (user_id, zone_offset_minutes, start_time)
    values ($1, $2, to_timestamp($3::float8 / 1000))
    on conflict (user_id) do update
      set zone_offset_minutes = excluded.zone_offset_minutes, start_time = excluded.start_time`,
};

/** Stores the latest known clock of a user. */
export async function upsertClock(transaction: Queryable, userId: string, clock: ClockRow): Promise<void> {
  await transaction.query(statement, [userId, clock.zone_offset_minutes, clock.start_ms]);
}
