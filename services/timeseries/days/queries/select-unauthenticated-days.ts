import type { Queryable } from '../../../../mixins/database/database.ts';

/** A provider's part of a local day. */
export interface ProviderDate {
  readonly date: string;
  readonly provider: string;
}

// Reads the user's marked items only. Samples have no item, so those of items without a record are dated by their UTC days.
const statement = {
  name: 'timeseries-select-unauthenticated-days',
  text: `
    with marked as materialized (
      select provider, data_type, key, record_ids, first_day, last_day from timeseries.item
      where user_id = $1 and unauthenticated)
    select distinct to_char(date, 'YYYY-MM-DD') as date, provider from (
      select d.date, m.provider from marked m join timeseries.provider_day d on d.user_id = $1 and d.id = any(m.record_ids)
      union all
      select w.local_date, m.provider from marked m join timeseries.workout w on w.user_id = $1 and w.id = any(m.record_ids)
      union all
      select date '1970-01-01' + day, m.provider from marked m
        cross join generate_series(greatest(m.first_day, $2::date - date '1970-01-01'),
          least(m.last_day, $3::date - date '1970-01-01')) day
      where m.first_day is not null
    ) dated where date between $2 and $3`,
};

/** The days between two dates with data that came in unauthenticated deliveries. */
export function selectUnauthenticatedDays(
  database: Queryable,
  userId: string,
  firstDate: string,
  lastDate: string,
): Promise<ProviderDate[]> {
  return database.query<ProviderDate>(statement, [userId, firstDate, lastDate]);
}
