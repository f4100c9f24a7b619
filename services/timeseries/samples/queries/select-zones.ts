import { clockSources } from '../../../../domain/time/clocks.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { isoMicroseconds } from '../scan-range.ts';
import type { SampleRow } from './select-samples.ts';

// Keys of the page are looked up, so that pages without zones read no further column. Where no clock was known, the stored
// offset is 0 in place of an unknown one.
const statement = {
  name: 'timeseries-select-zones',
  text: `
    select case when abs(coalesce(x.placed_by, i.placed_by)) is distinct from ${clockSources.none}
      then coalesce(x.zone_offset_minutes, i.zone_offset_minutes) end as minutes
    from unnest($1::int[], $2::timestamptz[]) with ordinality k (series_id, ts, place)
    left join timeseries.sample x on x.series_id = k.series_id and x.ts = k.ts
    left join lateral (
      select min(zone_offset_minutes) as zone_offset_minutes, min(placed_by) as placed_by from timeseries.interval_value v
      where x.series_id is null and v.series_id = k.series_id and v.start_time = k.ts
    ) i on true
    order by k.place`,
};

/** The offsets of the local clock of samples and intervals, in their order; null where no clock is known. */
export async function selectZones(
  database: Queryable,
  rows: readonly SampleRow[],
): Promise<(number | null)[]> {
  if (rows.length === 0) return [];
  const keys = [rows.map(({ series_id }) => series_id), rows.map(({ at }) => isoMicroseconds(at))];
  const found = await database.query<{ minutes: number | null }>(statement, keys);
  return rows.map((_, place) => found[place]?.minutes ?? null);
}
