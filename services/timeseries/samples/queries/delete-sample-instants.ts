import { isoTime } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';

/** Samples by series and time, as two columns. */
export interface SampleInstants {
  readonly seriesIds: readonly number[];
  readonly times: readonly number[];
}

// The bounds let the planner skip chunks without these samples.
const statement = {
  name: 'timeseries-delete-sample-instants',
  text: `
    with gone as (
      delete from timeseries.sample x
      using unnest($1::int[], $2::float8[]) t (series_id, ms)
      where x.series_id = t.series_id and x.ts = to_timestamp(t.ms / 1000) and x.ts >= $3 and x.ts <= $4
      returning 1)
    select count(*)::int as n from gone`,
};

/** Deletes single samples. Triggers update the statistics. Returns their number. */
export async function deleteSampleInstants(
  transaction: Queryable,
  { seriesIds, times }: SampleInstants,
): Promise<number> {
  const [first, last] = [Math.min(...times), Math.max(...times)].map(isoTime);
  const values = [`{${seriesIds.join(',')}}`, `{${times.join(',')}}`, first, last];
  const [row] = await transaction.query<{ n: number }>(statement, values);
  return row?.n ?? 0;
}
