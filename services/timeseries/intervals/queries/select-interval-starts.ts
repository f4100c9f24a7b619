import type { Queryable } from '../../../../mixins/database/database.ts';
import { type SampleRow, scanRangeColumns } from '../../samples/queries/select-samples.ts';
import type { ScanRange } from '../../samples/scan-range.ts';

const statements = {
  next: { name: 'timeseries-select-interval-starts-next', text: textOf('asc') },
  previous: { name: 'timeseries-select-interval-starts-previous', text: textOf('desc') },
};

// As for samples, each series is read from its own start and stops after a page.
function textOf(order: 'asc' | 'desc'): string {
  return `
    select x.series_id, (extract(epoch from x.start_time) * 1000000)::float8 as at, x.value
    from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) s (id, first, beyond)
    cross join lateral (
      select series_id, start_time, value from timeseries.interval_value
      where series_id = s.id and start_time >= s.first and start_time < s.beyond and start_time >= $4 and start_time < $5
      order by start_time ${order} limit $6
    ) x
    order by x.start_time ${order}, x.series_id ${order} limit $6`;
}

/** At most `most` intervals that start in the range, in reading order. */
export async function selectIntervalStarts(
  database: Queryable,
  scanRange: ScanRange,
  most: number,
): Promise<SampleRow[]> {
  if (scanRange.series.length === 0) return [];
  return database.query<SampleRow>(statements[scanRange.direction], [...scanRangeColumns(scanRange), most]);
}
