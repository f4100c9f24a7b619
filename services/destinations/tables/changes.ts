import type { DestinationType } from '../../../contracts/destinations/schemas.ts';
import type { RecordKind } from '../../../domain/destinations/columns.ts';
import { isSeriesType, type SeriesType } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

interface OfChange {
  /** The id of the change log: a decimal number. */
  readonly id: string;
  readonly user_id: string;
  readonly action: 'created' | 'updated' | 'deleted';
  readonly recorded_at: Date;
}

/** Samples of one source of a user changed. Null: any of them, at any time. */
export interface SampleChange extends OfChange {
  readonly kind: 'sample';
  readonly type: SeriesType;
  readonly provider: string;
  /** As it is stored, with the recording method. */
  readonly device: string;
  /** Microseconds since 1970 of the first and the last one; of intervals the last end. */
  readonly first: number | null;
  readonly last: number | null;
}

/** A record changed: a workout, a sleep session or a score by its id, the values of a local day by its date, or the user. */
export interface RecordChange extends OfChange {
  readonly kind: RecordKind;
  readonly type: RecordKind;
  readonly record_id: string | null;
  /** The local day, of `day` and `score`. */
  readonly date: string | null;
  /** Microseconds since 1970 of the start, of `workout`, `sleep` and `score`. */
  readonly first: number | null;
}

/** A change of what a destination gets. */
export type ObjectChange = SampleChange | RecordChange;

/** The next changes of a project. */
interface ChangesPart {
  readonly changes: readonly ObjectChange[];
  /** Where to go on: all changes up to it are read. */
  readonly position: string;
  readonly hasMore: boolean;
  /** Whether changes after the former position are not kept any more. */
  readonly isExpired: boolean;
}

interface ChangeRow {
  readonly id: string | null;
  readonly user_id: string | null;
  readonly type: string;
  readonly object: string;
  readonly first: number | null;
  readonly last: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly recorded_at: Date;
  readonly last_id: string;
  readonly expired_id: string;
}

const us = (column: string) => `(extract(epoch from ${column}) * 1000000)::float8`;

// Without changes of the project the position moves to the last id of all projects, so that it does not expire.
const statement = {
  name: 'destinations.select_changes',
  text: `
    select b.last_id, b.expired_id, c.* from (
      select greatest((select max(id) from changes.change), (select last_id from changes.expired))::text as last_id,
        (select last_id from changes.expired)::text as expired_id) b
    left join (
      select id::text, user_id, type, object, ${us('first_at')} as first, ${us('last_at')} as last, data, recorded_at
      from changes.change where project_id = $1 and id > $2 order by id limit $3) c on true
    order by c.id::bigint`,
};

/** Reads the changes of a project after a position, in their order. `types`: those of a destination, null for all. */
export async function readChanges(
  database: Queryable,
  project: string,
  types: readonly DestinationType[] | null,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ChangesPart> {
  const read = await database.query<ChangeRow>(statement, [project, after, limit]);
  const rows = read.filter(({ id }) => id !== null);
  const [bounds] = read;
  const isWanted = ({ type }: ObjectChange) => types === null || types.some((one) => one === type);
  const hasMore = rows.length === limit;
  const last = hasMore ? rows.at(-1)?.id : later(after, bounds?.last_id ?? after);
  return {
    changes: rows.flatMap(changeOf).filter(isWanted),
    position: last ?? after,
    hasMore,
    isExpired: BigInt(after) < BigInt(bounds?.expired_id ?? 0),
  };
}

const later = (one: string, other: string) => (BigInt(one) > BigInt(other) ? one : other);

/** The event types of each kind of records. Both of `day` name a local day. */
const recordEvents: Readonly<Record<string, RecordKind>> = {
  workout: 'workout',
  sleep: 'sleep',
  score: 'score',
  user: 'user',
  day: 'day',
  activity_summary: 'day',
};

function changeOf(row: ChangeRow): ObjectChange[] {
  const { id, user_id, type: event, object, first, last, data, recorded_at } = row;
  const [subject = '', what = ''] = event.split('.');
  const action = what === 'created' || what === 'deleted' ? what : 'updated';
  if (id === null || user_id === null) return [];
  const common = { id, user_id, action, recorded_at } as const;
  if (subject === 'timeseries') {
    const type = textOf(data.series_type);
    const [provider, device] = [textOf(data.provider), textOf(data.device)];
    if (!isSeriesType(type)) return [];
    return [{ ...common, kind: 'sample', type, provider, device, first, last }];
  }
  const kind = recordEvents[subject];
  if (kind === undefined) return [];
  const date = typeof data.date === 'string' ? data.date : null;
  // A change of a summary that names no day is one of statistics.
  if (kind === 'day' && date === null) return [];
  const record_id = kind === 'day' || kind === 'user' ? null : object;
  return [{ ...common, kind, type: kind, record_id, date, first }];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
