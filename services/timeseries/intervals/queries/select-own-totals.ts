import type { Queryable } from '../../../../mixins/database/database.ts';

/** The fields of a provider's daily records that have a value. */
export interface OwnTotalRow {
  provider: string;
  /** Days since 1970. */
  day: number;
  steps: boolean;
  distance_meters: boolean;
  floors_climbed: boolean;
  active_seconds: boolean;
  active_calories_kcal: boolean;
  basal_calories_kcal: boolean;
}

const fields = [
  'steps',
  'distance_meters',
  'floors_climbed',
  'active_seconds',
  'active_calories_kcal',
  'basal_calories_kcal',
];

const statement = {
  name: 'timeseries-select-own-totals',
  text: `
    select provider, date - date '1970-01-01' as day, ${fields.map((name) => `bool_or(${name} is not null) as ${name}`).join(', ')}
    from timeseries.provider_day
    where user_id = $1 and provider = any($2) and date = any(array(select date '1970-01-01' + d from unnest($3::int[]) d))
    group by provider, date`,
};

/** Which fields of days the providers' own totals have. */
export function selectOwnTotals(
  transaction: Queryable,
  userId: string,
  providers: readonly string[],
  days: readonly number[],
): Promise<OwnTotalRow[]> {
  return transaction.query<OwnTotalRow>(statement, [userId, providers, days]);
}
