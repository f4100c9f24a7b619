import { seriesOf } from '../../../../domain/records/series.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A span of time and the source of its heart rate. */
export interface HeartRateSpan {
  readonly provider: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** The heart rate of the span with this index, counted from 0. */
export interface HeartRateRow {
  index: number;
  average: number;
  highest: number;
}

// Uses the device of the span, otherwise the device with the most samples. Devices are never mixed. 50 workouts of an
// hour at one sample a second take 12 ms.
const statement = {
  name: 'timeseries-select-heart-rates',
  text: `
    select (span.number - 1)::int as index, best.average, best.highest
    from unnest($2::text[], $3::text[], $4::float8[], $5::float8[])
      with ordinality as span (provider, device, start_ms, end_ms, number)
    cross join lateral (
      select avg(sample.value) as average, max(sample.value) as highest
      from timeseries.series
      join timeseries.sample on sample.series_id = series.id
        and sample.ts >= to_timestamp(span.start_ms / 1000) and sample.ts < to_timestamp(span.end_ms / 1000)
      where series.user_id = $1 and series.type_id = ${seriesOf('heart_rate').id} and series.provider = span.provider
      group by series.id, series.device
      order by series.device = span.device desc, count(*) desc, series.id
      limit 1
    ) best`,
};

/** Average and maximum heart rate of each span with samples of its own provider. */
export function selectHeartRates(
  database: Queryable,
  userId: string,
  spans: readonly HeartRateSpan[],
): Promise<HeartRateRow[]> {
  const column = <K extends keyof HeartRateSpan>(name: K) => spans.map((span) => span[name]);
  const values = [userId, column('provider'), column('device'), column('start_ms'), column('end_ms')];
  return database.query<HeartRateRow>(statement, values);
}
