import type { Queryable } from '../../../mixins/database/database.ts';

/** A series: its type, provider and device. */
export interface SeriesRow {
  id: number;
  type_id: number;
  provider: string;
  device: string;
  /** A series of intervals; it has no samples. */
  is_interval: boolean;
}

const statement = {
  name: 'timeseries-select-series',
  text: `
    select id, type_id, provider, device, is_interval from timeseries.series
    where user_id = $1 and ($2::smallint[] is null or type_id = any($2))`,
};

/** A user's series of the given types, or all of them. */
export function selectSeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
): Promise<SeriesRow[]> {
  return database.query<SeriesRow>(statement, [userId, typeIds]);
}
