import type { EventType } from '../../../contracts/webhooks/events.ts';
import type { webhooks } from '../../../contracts/webhooks.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ChangeRow } from '../rules/event-of-change.ts';

/** Which changes are read. Null: of all users, or of all types. */
export interface ChangeFilter {
  readonly project: string;
  readonly userId: string | null;
  readonly types: readonly EventType[] | null;
}

/** Changes in the order of their ids, one more than the limit if others follow. */
interface ChangeRows {
  readonly rows: ChangeRow[];
  /** The last id of the change log. */
  readonly lastId: bigint;
  /** The last id that retention deleted. */
  readonly expiredId: bigint;
}

/** The columns of a ChangeRow. */
const changeColumns =
  'id, user_id, external_user_id, sequence, type, object, historical, first_at, last_at, n, data, recorded_at';

// A user's changes are read by the user's index. Without a user, each type is read by its own index range, so that a
// rare type reads few rows.
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

const changesAfter = (selection: string) => `
  select bounds.last_id, bounds.expired_id, selected.*
  from (select (select max(id) from changes.change) as last_id, (select last_id from changes.expired) as expired_id) bounds
  left join (${selection}) selected on true order by selected.id`;

type ChangeRead = ChangeRow & { readonly last_id: string | null; readonly expired_id: string };

/** Reads changes after an id, from one snapshot. */
export async function selectChanges(
  database: Queryable,
  { project, userId, types }: ChangeFilter,
  afterId: bigint,
  most: number,
): Promise<ChangeRows> {
  const name = userId === null ? (types === null ? 'all' : 'types') : types === null ? 'user' : 'userTypes';
  const filters = [userId, types].filter((value) => value !== null);
  const statement = { name: `webhooks.select_changes_${name}`, text: changesAfter(selections[name]) };
  const rows = await database.query<ChangeRead>(statement, [String(afterId), most, project, ...filters]);
  return {
    rows: rows.filter(({ id }) => id !== null),
    lastId: BigInt(rows[0]?.last_id ?? 0),
    expiredId: BigInt(rows[0]?.expired_id ?? 0),
  };
}

/** Who was changed and how, after an id. */
export interface RecentChange {
  readonly id: string;
  readonly project_id: string;
  readonly user_id: string | null;
  readonly type: EventType;
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

// Overlapping publications may have ids in another order than their times. The lowest of the next ids is taken.
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

/** Rows that one statement deletes. */
const rowsPerPart = 5000;

/**
 * Deletes changes that are older than some days, and stores up to which id, so that an older cursor is refused. The
 * sequence of a user ends with the last change of the erased user. Returns whether some may be left.
 */
export async function deleteOldChanges(database: Queryable, days: number): Promise<boolean> {
  const [row] = await database.query<{ deleted: number }>(
    `with deleted as (
       delete from changes.change where id in (
         select id from changes.change where published_at < now() - $1 * interval '1 day'
         order by id limit ${rowsPerPart})
       returning id, user_id, type
     ),
     noted as (
       update changes.expired set last_id = greatest(last_id, (select max(id) from deleted))
       where exists (select from deleted)
     ),
     ended as (
       delete from changes.user_sequence s using deleted d
       where d.type = 'user.deleted' and s.user_id = d.user_id
     )
     select count(*)::int as deleted from deleted`,
    [days],
  );
  return row?.deleted === rowsPerPart;
}

/** A change of a connection or of data of a provider. */
interface ArrivalRow {
  readonly project_id: string;
  readonly user_id: string;
  readonly type: string;
  readonly provider: string;
  readonly connection_id: string | null;
  readonly detail: string | null;
  readonly historical: boolean;
  readonly last_ms: number | null;
  readonly recorded_ms: number;
}

const epochMs = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Selects columns of those that meet a condition among the $2 changes after the id $1. */
const nextChanges = (columns: string, condition: string) => `
    with part as materialized (select * from changes.change where id > $1 order by id limit $2)
    select selected.*, p.last_id, p.n from (
      select max(id)::text as last_id, count(*)::int as n from part) p
    left join (select id::text, ${columns} from part where user_id is not null and (${condition})) selected on true
    order by selected.id::bigint`;

/** What each row of `nextChanges` has. `id` is null if no change meets the condition. */
interface NextChange {
  readonly id: string | null;
  readonly last_id: string | null;
  readonly n: number;
}

const arrivalsStatement = {
  name: 'webhooks.select_arrivals',
  text: nextChanges(
    `project_id, user_id, type, data ->> 'provider' as provider, data ->> 'connection_id' as connection_id,
      coalesce(data ->> 'series_type', data ->> 'kind') as detail, historical, ${epochMs('last_at')} as last_ms,
      ${epochMs('recorded_at')} as recorded_ms`,
    `data ? 'provider' and (type = 'timeseries.updated' and n > 0
      or type in ('workout.created', 'workout.updated', 'sleep.created', 'sleep.updated', 'score.updated', 'connection.created',
        'connection.revoked', 'connection.expired'))`,
  ),
};

/** The arrivals among the next changes after an id. */
export async function selectArrivals(database: Queryable, after: string, limit: number) {
  const rows = await database.query<ArrivalRow & NextChange>(arrivalsStatement, [after, limit]);
  const changes = rows
    .filter(({ id }) => id !== null)
    .map(({ id: _, last_id: __, n: ___, ...change }): ArrivalRow => change);
  return { changes, last_id: rows[0]?.last_id ?? after, has_more: rows[0]?.n === limit };
}

/** A change of data of a user, with the local day or the span that it concerns. */
interface DataChangeRow {
  readonly id: string;
  readonly user_id: string;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
  readonly historical: boolean;
}

const dataChangesStatement = {
  name: 'webhooks.select_data_changes',
  text: nextChanges(
    `user_id, case when type = 'activity_summary.updated' then data ->> 'date' end as date,
      ${epochMs('first_at')} as first_ms, ${epochMs('last_at')} as last_ms, historical`,
    `type = 'timeseries.updated' and data ->> 'series_type' = any($3)
      or type = 'activity_summary.updated' and data ? 'date' or type ~ '^(workout|sleep)[.]'`,
  ),
};

type DataChangeQuery = ParamsOf<typeof webhooks, 'dataChanges'>;

/** The changes of data among the next changes after an id. */
export async function selectDataChanges(database: Queryable, { after, limit, series }: DataChangeQuery) {
  const rows = await database.query<Omit<DataChangeRow, 'id'> & NextChange>(dataChangesStatement, [
    after,
    limit,
    series,
  ]);
  const changes = rows.flatMap(({ id, user_id, date, first_ms, last_ms, historical }): DataChangeRow[] =>
    id === null ? [] : [{ id, user_id, date, first_ms, last_ms, historical }],
  );
  return { changes, last_id: rows[0]?.last_id ?? after, has_more: rows[0]?.n === limit };
}

/** What changed of a user: a span of a series, or of a record (null), or all of a local day. */
interface ChangedSpan {
  readonly series: string | null;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/** More spans are not listed. */
const mostSpans = 2000;

const spanColumns = (kind: string) => `
  select case when ${kind} like 'timeseries%' then data ->> 'series_type' end as series,
    data ->> 'date' as date, ${epochMs('first_at')} as first_ms, ${epochMs('last_at')} as last_ms`;

// A change that is not published yet is in `pending`. A change that was joined with an earlier one has the earlier time.
const changedSpansStatement = {
  name: 'webhooks.select_changed_spans',
  text: `
    select (select last_id = 0 from changes.expired)
        or exists (select from changes.change where published_at < $2) as is_known, s.*
    from (select 1) one left join (
      ${spanColumns('type')}, true as is_found from changes.change
      where user_id = $1 and published_at >= $2 and type ~ '^(timeseries|workout|sleep|activity_summary)[.]'
      union
      ${spanColumns('kind')}, true from changes.pending
      where user_id = $1 and action is not null and kind in ('timeseries', 'workout', 'sleep', 'activity_summary')
      limit ${mostSpans + 1}) s on true`,
};

/** The spans that changed since an instant; null if they are too many, or if the log does not reach back so far. */
export async function selectChangedSpans(
  database: Queryable,
  userId: string,
  sinceMs: number,
): Promise<ChangedSpan[] | null> {
  const rows = await database.query<ChangedSpan & { is_known: boolean; is_found: boolean | null }>(
    changedSpansStatement,
    [userId, isoTime(sinceMs)],
  );
  if (rows[0]?.is_known !== true || rows.length > mostSpans) return null;
  return rows
    .filter(({ is_found }) => is_found === true)
    .map(({ series, date, first_ms, last_ms }) => ({ series, date, first_ms, last_ms }));
}
