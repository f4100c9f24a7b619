import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type ChangeRow, changeColumns } from '../feed/event-of-change.ts';

/** Which changes are read: those after an id, of a user and of types unless null. */
export interface ChangeFilter {
  readonly project: string;
  readonly userId: string | null;
  readonly types: readonly EventTypeName[] | null;
}
type EventTypeName = ChangeRow['type'];

/** Changes in the order of their ids, one more than the limit if others follow. */
export interface ChangeRows {
  readonly rows: ChangeRow[];
  /** The last id of the change log. */
  readonly lastId: bigint;
  /** The last id that retention deleted. */
  readonly expiredId: bigint;
}

// With a user the user's changes are read by index, with types those of each type, so that a rare type reads few rows.
const selections = {
  all: `select ${changeColumns} from changes.change where project_id = $3 and id > $1 order by id limit $2`,
  user: `select ${changeColumns} from changes.change where id > $1 and project_id = $3 and user_id = $4 order by id limit $2`,
  userTypes: `
    select ${changeColumns} from changes.change where id > $1 and project_id = $3 and user_id = $4 and type = any($5) order by id limit $2`,
  types: `
    select ${changeColumns} from unnest($4::text[]) t (wanted) cross join lateral (
      select * from changes.change where project_id = $3 and type = t.wanted and id > $1 order by id limit $2) c
    order by id limit $2`,
};

const textOf = (selection: string) => `
  select bounds.last_id, bounds.expired_id, found.*
  from (select (select max(id) from changes.change) as last_id, (select last_id from changes.expired) as expired_id) bounds
  left join (${selection}) found on true order by found.id`;

type Read = ChangeRow & { readonly last_id: string | null; readonly expired_id: string };

/** Reads changes after an id, from one snapshot. */
export async function selectChanges(
  database: Queryable,
  { project, userId, types }: ChangeFilter,
  afterId: bigint,
  most: number,
): Promise<ChangeRows> {
  const name = userId === null ? (types === null ? 'all' : 'types') : types === null ? 'user' : 'userTypes';
  const filters = [userId, types].filter((value) => value !== null);
  const statement = { name: `webhooks.select_changes_${name}`, text: textOf(selections[name]) };
  const read = await database.query<Read>(statement, [String(afterId), most, project, ...filters]);
  return {
    rows: read.filter(({ id }) => id !== null),
    lastId: BigInt(read[0]?.last_id ?? 0),
    expiredId: BigInt(read[0]?.expired_id ?? 0),
  };
}

/** Who was changed and how, after an id. */
export interface RecentChange {
  readonly id: string;
  readonly project_id: string;
  readonly user_id: string | null;
  readonly type: EventTypeName;
}

/** Changes after an id, without their content. */
export function selectRecentChanges(
  database: Queryable,
  afterId: bigint,
  most: number,
): Promise<RecentChange[]> {
  const text = 'select id, project_id, user_id, type from changes.change where id > $1 order by id limit $2';
  return database.query({ name: 'webhooks.select_recent_changes', text }, [String(afterId), most]);
}

/** The last id of the change log. */
export async function selectLastId(database: Queryable): Promise<bigint> {
  const [row] = await database.query<{ id: string | null }>({
    name: 'webhooks.select_last_id',
    text: 'select max(id) as id from changes.change',
  });
  return BigInt(row?.id ?? 0);
}

// Publications that overlap may differ in the order of their times and ids, so that the lowest of several ids is taken.
const firstPublished = {
  name: 'webhooks.select_id_before',
  text: `
    select coalesce(min(id) - 1, (select max(id) from changes.change), 0) as id from (
      select id from changes.change where published_at >= $1 order by published_at limit 1000) later`,
};

/** The id before that of the first change that was published at or after an instant. */
export async function selectIdBefore(database: Queryable, sinceMs: number): Promise<bigint> {
  const [row] = await database.query<{ id: string }>(firstPublished, [isoTime(sinceMs)]);
  return BigInt(row?.id ?? 0);
}
