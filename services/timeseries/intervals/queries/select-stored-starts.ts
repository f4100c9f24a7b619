import type { Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

interface StartsRow {
  /** Null: no interval starts within the range. */
  first_ms: number | null;
  last_ms: number | null;
  has_deleted: boolean;
}

const inRange =
  'v.start_time >= to_timestamp($4::float8 / 1000) and v.start_time < to_timestamp($5::float8 / 1000)';

// Each series is two descents of the index on (series, start).
const statement = {
  name: 'timeseries-select-stored-starts',
  text: `
    with own as (
      select s.id from timeseries.series s where s.user_id = $1 and s.provider = $2 and s.is_interval and s.type_id = any($6::smallint[])
    )
    select extract(epoch from min(f.start_time))::float8 * 1000 as first_ms,
      extract(epoch from max(l.start_time))::float8 * 1000 as last_ms,
      exists (select from timeseries.deleted_interval d where d.set_id = $3) as has_deleted
    from own
    cross join lateral (
      select v.start_time from timeseries.interval_value v
      where v.series_id = own.id and ${inRange}
      order by v.start_time limit 1) f
    cross join lateral (
      select v.start_time from timeseries.interval_value v
      where v.series_id = own.id and ${inRange}
      order by v.start_time desc limit 1) l`,
};

/** Types of one user and provider. */
interface Whose {
  readonly user_id: string;
  readonly provider: string;
  readonly setId: number;
  readonly typeIds: readonly number[];
}

/**
 * The span in which stored intervals of types start within a range; null if none does. `all`: ids of the set were deleted, so that
 * any may be known. The span is a millisecond wider on both sides, as a double does not hold the instants.
 */
export async function selectStoredStarts(
  transaction: Queryable,
  { user_id, provider, setId, typeIds }: Whose,
  { startMs, endMs }: Range,
): Promise<Range | 'all' | null> {
  const values = [user_id, provider, setId, startMs, endMs, typeIds];
  const [row] = await transaction.query<StartsRow>(statement, values);
  if (row === undefined || row.has_deleted) return 'all';
  const { first_ms, last_ms } = row;
  return first_ms === null || last_ms === null ? null : { startMs: first_ms - 1, endMs: last_ms + 1 };
}
