import type { Queryable } from '../../../../mixins/database/database.ts';

/** Deleted intervals of a series: their type, and the time that they covered. */
export interface DeletedIntervals {
  type_id: number;
  start_ms: number | null;
  end_ms: number | null;
}

const isOld = `series_id = $1 and start_time < $2::timestamptz + interval '18 hours'
  and start_time + zone_offset_minutes * interval '1 minute' < $2::timestamptz`;

const remaining = {
  name: 'timeseries-select-old-interval',
  text: `select from timeseries.interval_value where ${isOld} limit 1`,
};

// An interval belongs to the local day of its start. Clocks differ from UTC by at most 18 hours.
const statement = {
  name: 'timeseries-delete-old-intervals',
  text: `
    with gone as (
      delete from timeseries.interval_value where series_id = $1 and ctid = any(array(
        select ctid from timeseries.interval_value where ${isOld} order by start_time limit $3))
      returning start_time, duration_ms
    )
    select s.type_id, (extract(epoch from min(g.start_time)) * 1000)::float8 as start_ms,
      (extract(epoch from max(g.start_time + g.duration_ms * interval '1 millisecond')) * 1000 + 1)::float8 as end_ms
    from timeseries.series s left join gone g on true where s.id = $1 group by s.type_id`,
};

/** Deletes the oldest intervals of a series whose local day is before `keptFrom`, at most `most`. */
export async function deleteOldIntervals(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
  most: number,
): Promise<DeletedIntervals | undefined> {
  const [row] = await transaction.query<DeletedIntervals>(statement, [
    seriesId,
    `${keptFrom}T00:00:00Z`,
    most,
  ]);
  return row;
}

/** Whether a series has intervals whose local day is before `keptFrom`. */
export async function hasOldIntervals(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
): Promise<boolean> {
  return (await transaction.query(remaining, [seriesId, `${keptFrom}T00:00:00Z`])).length > 0;
}
