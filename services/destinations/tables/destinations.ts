import type { DestinationKind, DestinationType } from '../../../contracts/destinations/schemas.ts';
import { TargetError, type TargetErrorCode } from '../../../domain/destinations/target-errors.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';

/** A destination with its encrypted secrets. */
export interface DestinationRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: DestinationKind;
  readonly description: string | null;
  /** The settings without their secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: string;
  readonly types: DestinationType[] | null;
  readonly from_beginning: boolean;
  readonly paused: boolean;
  readonly paused_reason: 'request' | 'key_deleted' | null;
  readonly api_key_id: string | null;
  readonly version: string;
  /** All changes up to this id of the change log are written. */
  readonly position: string;
  /** Null: everything that was stored before is written. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly rows_written: string;
  readonly last_commit_at: Date | null;
  readonly failing_since: Date | null;
  readonly failures: number;
  readonly last_error: string | null;
  readonly last_error_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A destination and what is left to be written. */
export interface ShownRow extends DestinationRow {
  /** Changes that are not written, at most `mostCounted`. */
  readonly changes_behind: number;
  readonly lag_seconds: number;
  readonly erasures_open: number;
}

const columns = [
  'id',
  'project_id',
  'kind',
  'description',
  'settings',
  'secrets',
  'types',
  'from_beginning',
  'paused',
  'paused_reason',
  'api_key_id',
  'version',
  'position',
  'snapshot',
  'progress',
  'rows_written',
  'last_commit_at',
  'failing_since',
  'failures',
  'last_error',
  'last_error_at',
  'created_at',
  'updated_at',
]
  .map((name) => `d.${name}`)
  .join(', ');

/** Maximum number of destinations of a project. */
export const mostDestinations = 10;
const mostCounted = 100_000;

const shown = `
  select ${columns}, b.n as changes_behind, coalesce(b.seconds, 0) as lag_seconds,
    (select count(*)::int from destinations.erasure e where e.destination_id = d.id) as erasures_open
  from destinations.destination d
  cross join lateral (
    select count(*)::int as n, greatest(0, extract(epoch from now() - min(c.published_at)))::int as seconds
    from (
      select published_at from changes.change where project_id = d.project_id and id > d.position
      order by id limit ${mostCounted}) c) b`;

/** Orders creations and the deletion of keys, until the end of the transaction. */
async function lockDestinations(transaction: Queryable): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(7365)');
}

/** The values of a new destination. */
type NewDestination = Pick<
  DestinationRow,
  | 'id'
  | 'project_id'
  | 'kind'
  | 'description'
  | 'settings'
  | 'secrets'
  | 'types'
  | 'from_beginning'
  | 'api_key_id'
>;

// The copy begins after the last published change; what is recorded and not published yet follows.
const lastId = 'greatest((select max(id) from changes.change), (select last_id from changes.expired))';

/** Inserts a destination. Returns false if there are as many as there may be. */
export async function insertDestination(transaction: Queryable, row: NewDestination): Promise<boolean> {
  await lockDestinations(transaction);
  const { id, project_id, kind, description, settings, secrets, types, from_beginning, api_key_id } = row;
  const rows = await transaction.query(
    `insert into destinations.destination (id, project_id, kind, description, settings, secrets, types, from_beginning,
       api_key_id, position, snapshot)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, ${lastId}, case when $8::boolean then '{}'::jsonb end
     where (select count(*) from destinations.destination where project_id = $2) < ${mostDestinations} returning id`,
    [id, project_id, kind, description, JSON.stringify(settings), secrets, types, from_beginning, api_key_id],
  );
  return rows.length > 0;
}

/** The destinations of a project, oldest first. */
export function selectDestinations(database: Queryable, project: string): Promise<ShownRow[]> {
  return database.query(`${shown} where d.project_id = $1 order by d.created_at, d.id`, [project]);
}

/** One destination of a project, as it is shown. */
export function selectShown(database: Queryable, project: string, id: string): Promise<ShownRow | undefined> {
  return firstRow(database, `${shown} where d.project_id = $1 and d.id = $2`, [project, id]);
}

/** One destination of a project, kept from others until the transaction ends. */
export function lockDestination(
  transaction: Queryable,
  project: string,
  id: string,
): Promise<DestinationRow | undefined> {
  return firstRow(
    transaction,
    `select ${columns} from destinations.destination d where d.project_id = $1 and d.id = $2 for update`,
    [project, id],
  );
}

/** One destination, for its job. */
export function selectDestination(database: Queryable, id: string): Promise<DestinationRow | undefined> {
  const text = `select ${columns} from destinations.destination d where d.id = $1`;
  return firstRow(database, { name: 'destinations.select', text }, [id]);
}

/** Stores what a caller changed. */
export async function updateDestination(
  transaction: Queryable,
  id: string,
  row: Pick<NewDestination, 'description' | 'settings' | 'secrets' | 'types' | 'api_key_id'>,
): Promise<void> {
  await transaction.query(
    `update destinations.destination set description = $2, settings = $3, secrets = $4, types = $5, api_key_id = $6,
       updated_at = now() where id = $1`,
    [id, row.description, JSON.stringify(row.settings), row.secrets, row.types, row.api_key_id],
  );
}

/** Begins the copy anew. */
export async function resetDestination(
  transaction: Queryable,
  id: string,
  fromBeginning: boolean,
): Promise<void> {
  await transaction.query(
    `update destinations.destination set from_beginning = $2, position = ${lastId}, version = version + 1,
       snapshot = case when $2 then '{}'::jsonb end, progress = progress || '{"reset": true}', failing_since = null,
       failures = 0, last_error = null, last_error_at = null, updated_at = now() where id = $1`,
    [id, fromBeginning],
  );
}

/** Pauses a destination, or ends the pause and the failing. */
export async function setPaused(
  transaction: Queryable,
  id: string,
  reason: DestinationRow['paused_reason'],
): Promise<void> {
  await transaction.query(
    'update destinations.destination set paused = $2::text is not null, paused_reason = $2, updated_at = now() where id = $1',
    [id, reason],
  );
}

/** Deletes a destination with what is stored of it here. Returns whether it was there. */
export async function deleteDestination(transaction: Queryable, id: string): Promise<boolean> {
  const rows = await transaction.query('delete from destinations.destination where id = $1 returning id', [
    id,
  ]);
  return rows.length > 0;
}

/** The ids of the destinations of a project. */
export async function selectIdsOfProject(transaction: Queryable, project: string): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    'select id from destinations.destination where project_id = $1',
    [project],
  );
  return rows.map(({ id }) => id);
}

/** How far a destination has come. */
interface Advance {
  readonly position: string;
  readonly snapshot: DestinationRow['snapshot'];
  readonly progress: DestinationRow['progress'];
  /** Rows that this commit has written. */
  readonly rows: number;
}

/**
 * Stores how far a destination has come, in the transaction of a commit. `version` is the one that was read before the work.
 * @throws TargetError `stopped` if another process has committed meanwhile, or the destination was reset or deleted
 */
export async function advance(
  transaction: Queryable,
  { id, version }: Pick<DestinationRow, 'id' | 'version'>,
  { position, snapshot, progress, rows }: Advance,
): Promise<void> {
  const updated = await transaction.query(
    `update destinations.destination set position = $3, snapshot = $4, progress = $5, rows_written = rows_written + $6,
       last_commit_at = case when $6 > 0 or position <> $3 then now() else last_commit_at end, version = version + 1
     where id = $1 and version = $2 returning id`,
    [id, version, position, jsonOf(snapshot), jsonOf(progress), rows],
  );
  if (updated.length === 0) throw new TargetError('stopped');
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Stores a failure. Returns the number of failures since the last success; null if the destination is deleted. */
export async function noteFailure(
  database: Queryable,
  id: string,
  code: TargetErrorCode,
): Promise<number | null> {
  const [row] = await database.query<{ failures: number }>(
    `update destinations.destination set failing_since = coalesce(failing_since, now()), failures = failures + 1,
       last_error = $2, last_error_at = now() where id = $1 returning failures`,
    [id, code],
  );
  return row?.failures ?? null;
}

/** Ends the failing of a destination. */
export async function noteSuccess(database: Queryable, id: string): Promise<void> {
  await database.query(
    `update destinations.destination set failing_since = null, failures = 0, last_error = null, last_error_at = null
     where id = $1 and failing_since is not null`,
    [id],
  );
}

/** The destinations that need a job: those that are not paused, and those with users to erase. */
export async function selectWorkable(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from destinations.destination d
     where not paused or exists (select from destinations.erasure e where e.destination_id = d.id)`,
  );
  return rows.map(({ id }) => id);
}

/** Stores that keys were deleted; false if that was known. No destination is created or changed by them afterwards. */
export async function insertDeletedKeys(transaction: Queryable, keyIds: readonly string[]): Promise<boolean> {
  await lockDestinations(transaction);
  const rows = await transaction.query(
    'insert into destinations.deleted_key (id) select unnest($1::uuid[]) on conflict do nothing returning id',
    [keyIds],
  );
  return rows.length > 0;
}

/** Whether a key was deleted. Until the end of the transaction no key is. */
export async function isDeletedKey(transaction: Queryable, keyId: string): Promise<boolean> {
  await lockDestinations(transaction);
  return (await transaction.query('select from destinations.deleted_key where id = $1', [keyId])).length > 0;
}

/** Pauses the destinations that these keys set; returns their ids. */
export async function pauseDestinationsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `update destinations.destination set paused = true, paused_reason = 'key_deleted', updated_at = now()
     where api_key_id = any($1::uuid[]) and not paused returning id`,
    [keyIds],
  );
  return rows.map(({ id }) => id);
}

/** Notes that a deleted user is to be removed from the destinations of the project. Returns their ids. */
export async function insertErasures(transaction: Queryable, userId: string): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `insert into destinations.erasure (destination_id, user_id)
     select d.id, $1 from destinations.destination d
     where d.project_id = coalesce((select project_id from users.person where id = $1), d.project_id)
     on conflict (destination_id, user_id) do update set requested_at = now() returning destination_id as id`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** Users at once, so that the conditions of a part are bounded. */
const mostUsers = 100;

/** The deleted users that are still to be removed from a destination, at most 100. */
export async function selectErasures(database: Queryable, destinationId: string): Promise<string[]> {
  const rows = await database.query<{ user_id: string }>(
    `select user_id from destinations.erasure where destination_id = $1 order by requested_at limit ${mostUsers}`,
    [destinationId],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Deletes what is stored here of users whose removal is proven. */
export async function deleteErased(
  transaction: Queryable,
  destinationId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const table of ['erasure', 'user_span', 'record'])
    await transaction.query(
      `delete from destinations.${table} where destination_id = $1 and user_id = any($2::uuid[])`,
      [destinationId, userIds],
    );
}
