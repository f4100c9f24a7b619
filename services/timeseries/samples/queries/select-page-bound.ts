import type { Queryable } from '../../../../mixins/database/database.ts';
import type { BucketSize } from '../resolutions.ts';
import type { ScanRange } from '../scan-range.ts';
import { scanRangeColumns } from './select-samples.ts';

// Hours that are only partly in the range are not counted, because they may contain fewer buckets.
const next = (column: string) => `
  select (extract(epoch from min(bucket) + interval '1 hour') * 1000000)::float8 as bound
  from (
    select bucket, sum(n) over (order by bucket) as upto
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select bucket, case when bucket >= s.first then ${column} else 0 end as n from timeseries.sample_hour
      where series_id = s.id and bucket > s.first - interval '1 hour' and bucket < s.beyond
        and bucket > $4::timestamptz - interval '1 hour' and bucket < $5
      order by bucket limit $6 + 1
    ) h
  ) x
  where upto >= $6`;

const previous = (column: string) => `
  select (extract(epoch from max(bucket)) * 1000000)::float8 as bound
  from (
    select bucket, sum(n) over (order by bucket desc) as upto
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select bucket, case when bucket + interval '1 hour' <= s.beyond then ${column} else 0 end as n
      from timeseries.sample_hour
      where series_id = s.id and bucket > s.first - interval '1 hour' and bucket < s.beyond
        and bucket > $4::timestamptz - interval '1 hour' and bucket < $5
      order by bucket desc limit $6 + 1
    ) h
  ) x
  where upto >= $6`;

/**
 * The instant in microseconds by which a page of `most` buckets is certainly full, from the hourly counts (0.4 ms).
 * Null if the whole range has fewer. Without it, a page of buckets would aggregate the whole range whenever the planner
 * cannot stop early (200 ms over a year).
 */
export async function selectPageBound(
  database: Queryable,
  scanRange: ScanRange,
  { resolution, countColumn }: BucketSize,
  most: number,
): Promise<number | null> {
  const text = scanRange.direction === 'next' ? next(countColumn) : previous(countColumn);
  const name = `timeseries-select-page-bound-${resolution}-${scanRange.direction}`;
  const [row] = await database.query<{ bound: number | null }>({ name, text }, [
    ...scanRangeColumns(scanRange),
    most,
  ]);
  return row?.bound ?? null;
}
