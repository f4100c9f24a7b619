import type { Queryable } from '../../../../mixins/database/database.ts';
import type { SeriesRow } from '../../queries/select-series.ts';

const statement = {
  name: 'timeseries-select-own-series',
  text: 'select id, type_id, provider, device, is_interval from timeseries.series where user_id = $1 and id = $2',
};

/** A series if it belongs to the user. */
export async function selectOwnSeries(
  database: Queryable,
  userId: string,
  seriesId: number,
): Promise<SeriesRow | undefined> {
  const [row] = await database.query<SeriesRow>(statement, [userId, seriesId]);
  return row;
}
