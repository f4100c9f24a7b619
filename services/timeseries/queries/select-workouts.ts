import type { Direction } from '../../../domain/cursor.ts';
import type { Range } from '../../../domain/time.ts';
import type { WorkoutType } from '../../../domain/workout-types.ts';
import type { Queryable } from '../../../mixins/database.ts';

/** A stored workout, as far as it is shown. */
export interface WorkoutRow {
  id: string;
  /** Microseconds since 1970. */
  at: number;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  type: WorkoutType;
  name: string;
  duration_seconds: number;
  calories_kcal: number | null;
  distance_meters: number | null;
  avg_heart_rate_bpm: number | null;
  max_heart_rate_bpm: number | null;
  avg_pace_sec_per_km: number | null;
  elevation_gain_meters: number | null;
}

const columns = `
  id, (extract(epoch from start_time) * 1000000)::float8 as at,
  (extract(epoch from start_time) * 1000)::float8 as start_ms, (extract(epoch from end_time) * 1000)::float8 as end_ms,
  provider, device, type, name, duration_seconds, calories_kcal, distance_meters, avg_heart_rate_bpm,
  max_heart_rate_bpm, avg_pace_sec_per_km, elevation_gain_meters`;

// Two texts, with and without a type, because each has an index of its own that a plan of either must see.
const listed = (byType: boolean) => `
  from timeseries.workout
  where user_id = $1 and start_time >= $2 and start_time < $3 ${byType ? 'and type = $4' : 'and $4::text is null'}
    and deleted_at is null and duplicate_of is null and not is_parent`;

const page = (byType: boolean, direction: Direction) => {
  const order = direction === 'next' ? 'desc' : 'asc';
  return `
    select ${columns} ${listed(byType)}
      and ($5::timestamptz is null or (start_time, id) ${direction === 'next' ? '<' : '>'} ($5, $6::uuid))
    order by start_time ${order}, id ${order} limit $7`;
};

/** Which events of a user are listed. */
export interface EventFilter {
  readonly userId: string;
  readonly range: Range;
  readonly type: WorkoutType | null;
}

/** Where a page of events is read from: the start and id of the item beside it, or the list's own beginning. */
export interface EventPlace {
  readonly direction: Direction;
  readonly after: { readonly start: string; readonly id: string } | null;
}

/** At most `most` listed workouts, in the order in which they are read: newest first, backward oldest first. */
export function selectWorkouts(
  database: Queryable,
  filter: EventFilter,
  { direction, after }: EventPlace,
  most: number,
): Promise<WorkoutRow[]> {
  const byType = filter.type !== null;
  const name = `timeseries-select-workouts-${direction}${byType ? '-of-type' : ''}`;
  const values = [...filterValues(filter), after?.start ?? null, after?.id ?? null, most];
  return database.query<WorkoutRow>({ name, text: page(byType, direction) }, values);
}

/** The number of listed workouts; an index has all that it looks at. */
export async function countWorkouts(database: Queryable, filter: EventFilter): Promise<number> {
  const byType = filter.type !== null;
  const name = `timeseries-count-workouts${byType ? '-of-type' : ''}`;
  const text = `select count(*)::int as n ${listed(byType)}`;
  const [row] = await database.query<{ n: number }>({ name, text }, filterValues(filter));
  return row?.n ?? 0;
}

/** One workout, listed or not, unless it was deleted. */
export async function selectWorkout(
  database: Queryable,
  userId: string,
  id: string,
): Promise<WorkoutRow | undefined> {
  const text = `
    select ${columns} from timeseries.workout where user_id = $1 and id = $2 and deleted_at is null`;
  const [row] = await database.query<WorkoutRow>({ name: 'timeseries-select-workout', text }, [userId, id]);
  return row;
}

function filterValues({ userId, range, type }: EventFilter): unknown[] {
  return [userId, new Date(range.startMs).toISOString(), new Date(range.endMs).toISOString(), type];
}
