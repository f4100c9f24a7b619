import type { Queryable } from '../../../../mixins/database/database.ts';
import type { FactRange } from '../fact-range.ts';
import type { MeanRow } from './select-sleep-stage-means.ts';

const statement = {
  name: 'timeseries-select-day-means',
  text: `
    select d.date::text, s.provider, s.device, s.type_id, d.n::float8, d.sum / d.n as mean
    from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2 and $3
    where s.user_id = $1 and s.type_id = any($4) and d.n > 0
    order by 1, 2, 3, 4`,
};

/** Means of series over local days, from the statistics. */
export const selectDayMeans = (
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  typeIds: readonly number[],
) => database.query<MeanRow>(statement, [user_id, first_date, last_date, typeIds]);
