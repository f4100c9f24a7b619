import type { FreshKind } from '../../../../domain/freshness/shared-kinds.ts';
import type { Queryable, Statement } from '../../../../mixins/database/database.ts';
import { workoutTable } from '../../queries/select-workouts.ts';

/** Users of a provider, and local days from first to last, both included. */
export interface KindDaysQuery {
  readonly provider: string;
  readonly user_ids: readonly string[];
  readonly first_date: string;
  readonly last_date: string;
}

/** Days with data of a kind, counted from the first date, ascending. */
export interface KindDays {
  readonly user_id: string;
  readonly kind: FreshKind;
  readonly days: number[];
}

const recordsOf = (kind: FreshKind, table: string, date: string, listed = 'true') => `
    select user_id, '${kind}', ${date} from ${table}
    where user_id = any($1) and provider = $2 and ${date} between $3 and $4 and ${listed}`;

// Days of series are read from the index alone. Kinds are those of a calendar: scores are not counted.
const statement: Statement = {
  name: 'timeseries-select-kind-days',
  text: `
    select user_id, kind, array_agg(date - $3::date order by date) as days from (
    select s.user_id, k.kind, d.date
    from timeseries.series s join unnest($5::smallint[], $6::text[]) k (type_id, kind) using (type_id)
    cross join lateral (
      select date from timeseries.sample_local_day where series_id = s.id and date between $3 and $4) d
    where s.user_id = any($1::uuid[]) and s.provider = $2
    union ${recordsOf('activities', workoutTable.table, 'local_date', workoutTable.listed)}
    union ${recordsOf('sleep', 'timeseries.sleep_session', 'date')}
    union ${recordsOf('daily_activity', 'timeseries.provider_day', 'date')}
    ) found (user_id, kind, date)
    group by user_id, kind`,
};

/** The days with data of users of a provider by kind. `kindOfSeries`: the kinds of series types by their ids. */
export const selectKindDays = (
  database: Queryable,
  kindOfSeries: ReadonlyMap<number, FreshKind>,
  { provider, user_ids, first_date, last_date }: KindDaysQuery,
): Promise<KindDays[]> =>
  database.query<KindDays>(statement, [
    ...[user_ids, provider, first_date, last_date],
    ...[[...kindOfSeries.keys()], [...kindOfSeries.values()]],
  ]);
