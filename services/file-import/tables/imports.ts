import type { FileImport } from '../../../contracts/file-import.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ImportBatch } from '../rules/batch.ts';
import type { FileKind } from '../rules/read-file.ts';

/** An import as it is stored. */
export interface ImportRow {
  readonly id: string;
  readonly user_id: string;
  readonly connection_id: string | null;
  readonly state: FileImport['state'];
  readonly name: string | null;
  readonly kind: FileKind | null;
  readonly bytes: number;
  readonly bytes_read: number;
  readonly position: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Imports of version 0.3 have no positions. */
  readonly skipped: readonly (Omit<FileImport['skipped'][number], 'positions'> & {
    readonly positions?: readonly number[];
  })[];
  readonly first_time: Date | null;
  readonly last_time: Date | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const columns = `id, user_id, connection_id, state, name, kind, bytes::float8 as bytes, bytes_read::float8 as bytes_read,
  position::float8 as position, counts, skipped, first_time, last_time, error, created_at, finished_at`;
const open = `state in ('receiving', 'waiting', 'reading')`;

/** The newest imports of a user. */
export function selectImports(database: Queryable, userId: string, most: number): Promise<ImportRow[]> {
  const text = `select ${columns} from imports.import where user_id = $1 order by created_at desc, id limit $2`;
  return database.query<ImportRow>(text, [userId, most]);
}

/** One import of a user; undefined if there is none. */
export async function selectImport(
  database: Queryable,
  userId: string,
  id: string,
): Promise<ImportRow | undefined> {
  const text = `select ${columns} from imports.import where user_id = $1 and id = $2`;
  const [row] = await database.query<ImportRow>(text, [userId, id]);
  return row;
}

/** Begins an import unless the user has `most` open ones. Returns its id, or null. */
export async function insertImport(
  transaction: Queryable,
  userId: string,
  most: number,
): Promise<string | null> {
  await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 350))', [userId]);
  const [row] = await transaction.query<{ id: string }>(
    `insert into imports.import (id, user_id) select gen_random_uuid(), $1
     where (select count(*) from imports.import where user_id = $1 and ${open}) < $2 returning id`,
    [userId, most],
  );
  return row?.id ?? null;
}

/** Notes that a part arrived. Returns false if the import does not receive a file any more. */
export async function touchReceiving(database: Queryable, userId: string, id: string): Promise<boolean> {
  const text = `update imports.import set touched_at = now()
    where user_id = $1 and id = $2 and state = 'receiving' returning 1`;
  return (await database.query(text, [userId, id])).length > 0;
}

/** A file that arrived whole. */
interface ReceivedFile {
  readonly user_id: string;
  readonly import_id: string;
  readonly name: string | null;
  readonly bytes: number;
  readonly connectionId: string;
}

/** The file has arrived whole. Undefined if the import does not receive one. */
export async function setReceived(
  transaction: Queryable,
  { user_id, import_id, name, bytes, connectionId }: ReceivedFile,
): Promise<ImportRow | undefined> {
  const text = `update imports.import set state = 'waiting', name = $3, bytes = $4, connection_id = $5, touched_at = now()
    where user_id = $1 and id = $2 and state = 'receiving' returning ${columns}`;
  const [row] = await transaction.query<ImportRow>(text, [user_id, import_id, name, bytes, connectionId]);
  return row;
}

/** Deletes an import whose file did not arrive. */
export async function deleteReceiving(database: Queryable, userId: string, id: string): Promise<boolean> {
  const text = `delete from imports.import where user_id = $1 and id = $2 and state = 'receiving' returning 1`;
  return (await database.query(text, [userId, id])).length > 0;
}

/** The import that a job reads; undefined if it has ended. */
export async function beginReading(database: Queryable, id: string): Promise<ImportRow | undefined> {
  const text = `update imports.import set state = 'reading', touched_at = now()
    where id = $1 and state in ('waiting', 'reading') returning ${columns}`;
  const [row] = await database.query<ImportRow>(text, [id]);
  return row;
}

/** What reading has found up to a position. `span` is that of the last part. */
export interface Progress extends Pick<ImportBatch, 'position' | 'counts' | 'skipped' | 'span'> {
  readonly kind: FileKind;
  readonly bytesRead: number;
}

/** Notes that the data up to a position is stored. Undefined if the import was cancelled or erased meanwhile. */
export async function noteProgress(
  database: Queryable,
  id: string,
  progress: Progress,
): Promise<ImportRow | undefined> {
  const { kind, bytesRead, position, counts, skipped, span } = progress;
  const text = `update imports.import set kind = $2, bytes_read = greatest(bytes_read, $3), position = $4, counts = $5,
      skipped = $6, first_time = least(first_time, to_timestamp($7::float8 / 1000)),
      last_time = greatest(last_time, to_timestamp($8::float8 / 1000)), touched_at = now()
    where id = $1 and state = 'reading' returning ${columns}`;
  const times = [span?.start_ms ?? null, span?.end_ms ?? null];
  const values = [id, kind, bytesRead, position, JSON.stringify(counts), JSON.stringify(skipped), ...times];
  const [row] = await database.query<ImportRow>(text, values);
  return row;
}

/** Ends an open import. Undefined if it has ended. */
export async function endImport(
  database: Queryable,
  id: string,
  state: 'done' | 'failed' | 'cancelled',
  error: string | null = null,
): Promise<ImportRow | undefined> {
  const text = `update imports.import set state = $2, error = $3, finished_at = now(),
      bytes_read = case when $2 = 'done' then bytes else bytes_read end
    where id = $1 and ${open} returning ${columns}`;
  const [row] = await database.query<ImportRow>(text, [id, state, error]);
  return row;
}

/** The open imports of a connection. */
export async function selectOpenOf(database: Queryable, connectionId: string): Promise<string[]> {
  const text = `select id from imports.import where connection_id = $1 and ${open}`;
  return (await database.query<{ id: string }>(text, [connectionId])).map(({ id }) => id);
}

/** Deletes the imports of a user whose files have arrived. Returns their ids. */
export async function deleteReceived(database: Queryable, userId: string): Promise<string[]> {
  const text = `delete from imports.import where user_id = $1 and state <> 'receiving' returning id`;
  return (await database.query<{ id: string }>(text, [userId])).map(({ id }) => id);
}

/** Deletes the imports of a user. Returns their ids. */
export async function deleteImports(database: Queryable, userId: string): Promise<string[]> {
  const text = 'delete from imports.import where user_id = $1 returning id';
  return (await database.query<{ id: string }>(text, [userId])).map(({ id }) => id);
}

/** Imports whose file stopped arriving, and those that no job reads any more. */
export async function selectStale(database: Queryable, kind: string, hours: number): Promise<string[]> {
  const text = `
    select id from imports.import i
    where ${open} and touched_at < now() - make_interval(hours => $2) and (state = 'receiving' or not exists (
      select from jobs.job j where j.kind = $1 and j.key = i.id::text and j.dead_at is null))
    order by touched_at limit 1000`;
  return (await database.query<{ id: string }>(text, [kind, hours])).map(({ id }) => id);
}

/** Those of the given ids whose imports are open. */
export async function selectOpenIds(database: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const text = `select id from imports.import where id::text = any($1::text[]) and ${open}`;
  return new Set((await database.query<{ id: string }>(text, [ids])).map(({ id }) => id));
}

/** Deletes imports that ended long ago. */
export async function deleteOldImports(database: Queryable, days: number): Promise<void> {
  await database.query('delete from imports.import where finished_at < now() - make_interval(days => $1)', [
    days,
  ]);
}
