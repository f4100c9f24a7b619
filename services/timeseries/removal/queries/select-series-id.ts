import type { Queryable } from '../../../../mixins/database/database.ts';

/** What identifies a series. */
export interface SeriesKey {
  readonly user_id: string;
  readonly provider: string;
  readonly device: string;
  readonly type_id: number;
}

const statement = {
  name: 'timeseries-select-series-id',
  text: 'select id from timeseries.series where user_id = $1 and provider = $2 and device = $3 and type_id = $4',
};

/** The id of a series. Null: there is none. */
export async function selectSeriesId(
  transaction: Queryable,
  { user_id, provider, device, type_id }: SeriesKey,
): Promise<number | null> {
  const [row] = await transaction.query<{ id: number }>(statement, [user_id, provider, device, type_id]);
  return row?.id ?? null;
}
