import type { Queryable } from '../../../../mixins/database/database.ts';
import type { DuplicateCandidate } from '../duplicates.ts';

const statement = {
  name: 'timeseries-select-overlapping-workouts',
  text: `
    select distinct w.id, w.provider, w.device, w.type, w.local_date::text, w.duplicate_of, w.counted_with,
      w.counted_on::text,
      (extract(epoch from w.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from w.end_time) * 1000)::float8 as end_ms,
      num_nonnulls(w.calories_kcal, w.distance_meters, w.avg_heart_rate_bpm, w.max_heart_rate_bpm,
        w.avg_pace_sec_per_km, w.elevation_gain_meters) as filled
    from unnest($2::float8[], $3::float8[]) t (start_ms, end_ms)
    join timeseries.workout w
      on w.user_id = $1 and w.start_time > to_timestamp(t.start_ms / 1000) - interval '7 days'
        and w.start_time <= to_timestamp(t.end_ms / 1000) and w.end_time >= to_timestamp(t.start_ms / 1000)
    where w.deleted_at is null and not w.is_parent`,
};

/**
 * Workouts of all providers that overlap one of the spans. Starts within seven days bound the index scan: a longer
 * workout has no duplicates.
 */
export function selectOverlappingWorkouts(
  transaction: Queryable,
  userId: string,
  spans: readonly { start_ms: number; end_ms: number }[],
): Promise<DuplicateCandidate[]> {
  const values = [userId, spans.map(({ start_ms }) => start_ms), spans.map(({ end_ms }) => end_ms)];
  return transaction.query<DuplicateCandidate>(statement, values);
}
