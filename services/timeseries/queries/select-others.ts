import type { Direction } from '../../../domain/cursor.ts';
import type { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { EventFilter, EventPlace } from './select-workouts.ts';

/** A stored event that is neither a workout nor a sleep. */
export interface OtherRow {
  id: string;
  /** Microseconds since 1970. */
  at: number;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  type: OtherEventType;
  data: Record<string, unknown>;
}

const columns = `
  id, (extract(epoch from start_time) * 1000000)::float8 as at,
  (extract(epoch from start_time) * 1000)::float8 as start_ms, (extract(epoch from end_time) * 1000)::float8 as end_ms,
  provider, device, type, data`;

// Two texts, as for workouts: each has an index of its own.
const listed = (byType: boolean) => `
  from timeseries.other_record
  where user_id = $1 and start_time >= $2 and start_time < $3 ${byType ? 'and type = $4' : 'and $4::text is null'}`;

const page = (byType: boolean, direction: Direction) => {
  const order = direction === 'next' ? 'desc' : 'asc';
  return `
    select ${columns} ${listed(byType)}
      and ($5::timestamptz is null or (start_time, id) ${direction === 'next' ? '<' : '>'} ($5, $6::uuid))
    order by start_time ${order}, id ${order} limit $7`;
};

/** At most `most` events of a type, or of all, in the order in which they are read: newest first, backward oldest. */
export function selectOthers(
  database: Queryable,
  type: OtherEventType | null,
  filter: EventFilter,
  { direction, after }: EventPlace,
  most: number,
): Promise<OtherRow[]> {
  const name = `timeseries-select-others-${direction}${type === null ? '' : '-of-type'}`;
  const values = [...filterValues(type, filter), after?.start ?? null, after?.id ?? null, most];
  return database.query<OtherRow>({ name, text: page(type !== null, direction) }, values);
}

/** The number of events in the range. */
export async function countOthers(
  database: Queryable,
  type: OtherEventType | null,
  filter: EventFilter,
): Promise<number> {
  const name = `timeseries-count-others${type === null ? '' : '-of-type'}`;
  const text = `select count(*)::int as n ${listed(type !== null)}`;
  const [row] = await database.query<{ n: number }>({ name, text }, filterValues(type, filter));
  return row?.n ?? 0;
}

/** One event. */
export async function selectOther(
  database: Queryable,
  userId: string,
  id: string,
): Promise<OtherRow | undefined> {
  const text = `select ${columns} from timeseries.other_record where user_id = $1 and id = $2`;
  const [row] = await database.query<OtherRow>({ name: 'timeseries-select-other', text }, [userId, id]);
  return row;
}

function filterValues(type: OtherEventType | null, { userId, range }: EventFilter): unknown[] {
  return [userId, new Date(range.startMs).toISOString(), new Date(range.endMs).toISOString(), type];
}
