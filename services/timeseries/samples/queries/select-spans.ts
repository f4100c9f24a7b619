import { isoTime, type Range } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';
import type { FunctionOf } from '../read-scan-range.ts';

/** One bucket of a series; `at` is its start in microseconds since 1970. */
export interface SpanRow {
  readonly series_id: number;
  readonly at: number;
  readonly value: number;
  /** The number and the sum of its samples. */
  readonly n: number;
  readonly sum: number;
  readonly low: number;
  readonly high: number;
}

// From the hourly statistics: a year of days takes 5.8 ms for data at one sample a second, and reads no sample.
const statement = {
  name: 'timeseries-select-spans',
  text: `
    select s.id as series_id, (extract(epoch from x.span) * 1000000)::float8 as at, x.n::float8, x.sum, x.low, x.high, case s.function
      when 'sum' then x.sum when 'mean' then x.sum / x.n when 'leq' then 10 * log10(x.energy / x.n) else x.last end as value
    from unnest($1::int[], $2::text[]) s (id, function)
    cross join lateral (
      select date_bin($5::interval, bucket, $6::timestamptz) as span, sum(n) as n, sum(sum) as sum, sum(energy) as energy,
        min(min) as low, max(max) as high, (array_agg(last order by bucket desc))[1] as last
      from timeseries.sample_hour where series_id = s.id and bucket >= $3 and bucket < $4
      group by 1
    ) x
    order by x.span, s.id limit $7`,
};

/** At most `most` buckets of a width of whole hours, oldest first. A bucket begins at a multiple of it after `originMs`. */
export function selectSpans(
  database: Queryable,
  seriesIds: readonly number[],
  functionOf: FunctionOf,
  { startMs, endMs }: Range,
  { widthMs, originMs }: { readonly widthMs: number; readonly originMs: number },
  most: number,
): Promise<SpanRow[]> {
  return database.query<SpanRow>(statement, [
    seriesIds,
    seriesIds.map(functionOf),
    isoTime(startMs),
    isoTime(endMs),
    `${widthMs / 1000} seconds`,
    isoTime(originMs),
    most,
  ]);
}
