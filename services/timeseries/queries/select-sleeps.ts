import type { Direction } from '../../../domain/cursor.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { EventFilter, EventPlace } from './select-workouts.ts';

/** A stored sleep session, as far as it is shown. */
export interface SleepRow {
  id: string;
  /** Microseconds since 1970. */
  at: number;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  is_nap: boolean;
  asleep_seconds: number;
  awake_seconds: number | null;
  light_seconds: number | null;
  deep_seconds: number | null;
  rem_seconds: number | null;
}

const columns = `
  id, (extract(epoch from start_time) * 1000000)::float8 as at,
  (extract(epoch from start_time) * 1000)::float8 as start_ms, (extract(epoch from end_time) * 1000)::float8 as end_ms,
  provider, device, is_nap, asleep_seconds, awake_seconds, light_seconds, deep_seconds, rem_seconds`;

const listed = 'from timeseries.sleep_session where user_id = $1 and start_time >= $2 and start_time < $3';

const page = (direction: Direction) => {
  const order = direction === 'next' ? 'desc' : 'asc';
  return `
    select ${columns} ${listed}
      and ($4::timestamptz is null or (start_time, id) ${direction === 'next' ? '<' : '>'} ($4, $5::uuid))
    order by start_time ${order}, id ${order} limit $6`;
};

/** At most `most` sessions, naps too, in the order in which they are read: newest first, backward oldest first. */
export function selectSleeps(
  database: Queryable,
  filter: EventFilter,
  { direction, after }: EventPlace,
  most: number,
): Promise<SleepRow[]> {
  const name = `timeseries-select-sleeps-${direction}`;
  const values = [...filterValues(filter), after?.start ?? null, after?.id ?? null, most];
  return database.query<SleepRow>({ name, text: page(direction) }, values);
}

/** The number of sessions in the range. */
export async function countSleeps(database: Queryable, filter: EventFilter): Promise<number> {
  const statement = { name: 'timeseries-count-sleeps', text: `select count(*)::int as n ${listed}` };
  const [row] = await database.query<{ n: number }>(statement, filterValues(filter));
  return row?.n ?? 0;
}

/** One sleep session. */
export async function selectSleep(
  database: Queryable,
  userId: string,
  id: string,
): Promise<SleepRow | undefined> {
  const text = `select ${columns} from timeseries.sleep_session where user_id = $1 and id = $2`;
  const [row] = await database.query<SleepRow>({ name: 'timeseries-select-sleep', text }, [userId, id]);
  return row;
}

function filterValues({ userId, range }: EventFilter): unknown[] {
  return [userId, new Date(range.startMs).toISOString(), new Date(range.endMs).toISOString()];
}
