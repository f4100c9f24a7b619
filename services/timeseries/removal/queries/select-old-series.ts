import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series with expired samples. */
export interface OldSeriesRow {
  id: number;
  user_id: string;
}

// Finds the series through the statistics, with one index lookup per series. The inner limit prevents the planner from
// reading all statistics.
const statement = `
  select s.id, s.user_id from timeseries.series s
  cross join lateral (
    select from timeseries.sample_local_day d where d.series_id = s.id and d.date < $2 limit 1
  ) old
  where s.id > $1 order by s.id limit 1`;

/** The next series after `afterId` with samples of local days before `keptFrom`. */
export async function selectOldSeries(
  transaction: Queryable,
  afterId: number,
  keptFrom: string,
): Promise<OldSeriesRow | undefined> {
  const [row] = await transaction.query<OldSeriesRow>(statement, [afterId, keptFrom]);
  return row;
}
