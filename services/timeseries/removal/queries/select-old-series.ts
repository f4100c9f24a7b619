import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series with expired samples. */
export interface OldSeriesRow {
  id: number;
  user_id: string;
}

// Finds the series through the statistics, with one index lookup per series. The inner limit prevents the planner from
// reading all statistics.
const statementFrom = (series: string) => `
  select s.id, s.user_id from ${series} s
  cross join lateral (
    select from timeseries.sample_local_day d where d.series_id = s.id and d.date < $2 limit 1
  ) old
  where s.id > $1 order by s.id limit 1`;

const ofAll = statementFrom('timeseries.series');
// Without the list of the users' series first, the planner reads all series in the order of their ids.
const ofUsers = `
  with own as materialized (select id, user_id from timeseries.series where user_id = any($3::uuid[]) and id > $1)
  ${statementFrom('own')}`;

/** The next series after `afterId` with samples of local days before `keptFrom`, of all users or of some. */
export async function selectOldSeries(
  transaction: Queryable,
  afterId: number,
  keptFrom: string,
  users?: readonly string[],
): Promise<OldSeriesRow | undefined> {
  const [row] =
    users === undefined
      ? await transaction.query<OldSeriesRow>(ofAll, [afterId, keptFrom])
      : await transaction.query<OldSeriesRow>(ofUsers, [afterId, keptFrom, users]);
  return row;
}
