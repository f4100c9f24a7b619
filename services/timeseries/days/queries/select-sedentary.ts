import type { Queryable } from '../../../../mixins/database.ts';

/** Time without movement on a local day, from one provider. */
export interface SedentaryRow {
  date: string;
  provider: string;
  seconds: number;
}

const statement = {
  name: 'timeseries-select-sedentary',
  text: `
    select local_date::text as date, provider, sum(sedentary_seconds)::float8 as seconds
    from timeseries.epoch_part
    where user_id = $1 and local_date = any($2::date[]) and sedentary_seconds is not null
    group by local_date, provider`,
};

/** Sedentary time of local days. Days without a value are left out. */
export function selectSedentary(
  database: Queryable,
  userId: string,
  dates: readonly string[],
): Promise<SedentaryRow[]> {
  return database.query<SedentaryRow>(statement, [userId, dates]);
}
