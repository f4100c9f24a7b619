import type { WorkoutType } from '../../../../domain/records/workout-types.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A part of a multisport activity. */
export interface SegmentRow {
  id: string;
  type: WorkoutType;
  name: string;
  start_ms: number;
  end_ms: number;
  duration_seconds: number;
  distance_meters: number | null;
}

const statement = {
  name: 'timeseries-select-segments',
  text: `
    select id, type, name, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, duration_seconds, distance_meters
    from timeseries.workout
    where user_id = $1 and provider = $2 and parent_id = $3 and deleted_at is null
    order by start_time, id limit 100`,
};

/** The parts of a multisport activity, in order. */
export function selectSegments(
  database: Queryable,
  userId: string,
  provider: string,
  parentId: string,
): Promise<SegmentRow[]> {
  return database.query<SegmentRow>(statement, [userId, provider, parentId]);
}
