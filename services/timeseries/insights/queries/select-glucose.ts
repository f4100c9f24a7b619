import { seriesOf } from '../../../../domain/records/series.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { FactRange, Scanned } from '../fact-range.ts';

/** A glucose value in mg/dL, its instant and the minute of the local day. */
export interface GlucoseRow {
  provider: string;
  device: string;
  at_ms: number;
  minute: number;
  value: number;
}

const local = `(ts at time zone 'UTC') + zone_offset_minutes * interval '1 minute'`;

const statement = {
  name: 'timeseries-select-glucose',
  text: `
    with best as materialized (
      select s.id, s.provider, s.device from timeseries.series s
      join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2 and $3
      where s.user_id = $1 and s.type_id = ${seriesOf('blood_glucose').id}
      group by s.id order by sum(d.n) desc, s.id limit 1
    )
    select b.provider, b.device, (extract(epoch from x.ts) * 1000)::float8 as at_ms, x.minute, x.value
    from best b cross join lateral (
      select ts, value, (extract(hour from ${local}) * 60 + extract(minute from ${local}))::int as minute
      from timeseries.sample
      where series_id = b.id and ts >= $4 and ts < $5 and (${local})::date between $2 and $3
      order by ts desc limit 21000
    ) x
    order by x.ts`,
};

/** The glucose values of local days, oldest first, of the series with the most. A value a minute fits for two weeks. */
export function selectGlucose(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Scanned,
): Promise<GlucoseRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<GlucoseRow>(statement, values);
}
