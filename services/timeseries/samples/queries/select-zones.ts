import type { Queryable } from '../../../../mixins/database/database.ts';
import { isoMicroseconds } from '../scan-range.ts';
import type { SampleRow } from './select-samples.ts';

// Keys of the page are looked up, so that pages without zones read no further column. A user without a known clock has
// no zones: the stored offset is then 0 in place of an unknown one.
const statement = {
  name: 'timeseries-select-zones',
  text: `
    select coalesce(x.zone_offset_minutes, i.zone_offset_minutes) as minutes
    from unnest($1::int[], $2::timestamptz[]) with ordinality k (series_id, ts, place)
    left join timeseries.sample x on x.series_id = k.series_id and x.ts = k.ts
    left join lateral (
      select min(zone_offset_minutes) as zone_offset_minutes from timeseries.interval_value v
      where x.series_id is null and v.series_id = k.series_id and v.start_time = k.ts
    ) i on true
    where exists (select from timeseries.user_clock where user_id = $3)
    order by k.place`,
};

/** The offsets of the local clock of samples and intervals, in their order; null where no clock is known. */
export async function selectZones(
  database: Queryable,
  userId: string,
  rows: readonly SampleRow[],
): Promise<(number | null)[]> {
  if (rows.length === 0) return [];
  const keys = [rows.map(({ series_id }) => series_id), rows.map(({ at }) => isoMicroseconds(at))];
  const found = await database.query<{ minutes: number | null }>(statement, [...keys, userId]);
  return rows.map((_, place) => found[place]?.minutes ?? null);
}
