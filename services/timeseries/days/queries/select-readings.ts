import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** The newest sample of a series within a window. */
export interface ReadingRow {
  type_id: number;
  provider: string;
  device: string;
  value: number;
  at_ms: number;
}

const statement = {
  name: 'timeseries-select-readings',
  text: `
    select s.type_id, s.provider, s.device, x.value, (extract(epoch from x.ts) * 1000)::float8 as at_ms
    from timeseries.series s
    cross join lateral (
      select ts, value from timeseries.sample
      where series_id = s.id and ts >= $3 and ts <= $4 order by ts desc limit 1
    ) x
    where s.user_id = $1 and s.type_id = any($2)`,
};

/**
 * The newest reading of each series of the given types in [startMs, endMs]. The end is included because it is the
 * current time.
 */
export function selectReadings(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<ReadingRow[]> {
  const window = [isoTime(startMs), isoTime(endMs)];
  return database.query<ReadingRow>(statement, [userId, typeIds, ...window]);
}
