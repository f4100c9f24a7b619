import type { FileImport, FileImportReport } from '../../../contracts/file-import.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type EndedMembers, type ImportBatch, type MemberReport, mostReports } from '../rules/batch.ts';
import type { FileKind } from '../rules/recognise.ts';

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
  readonly member_path: readonly number[];
  readonly member_position: number;
  /** The number of members of an archive; null for a file that is none, and before it is opened. */
  readonly members: number | null;
  readonly members_damaged: number;
  readonly members_unread: number;
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
  /** Null if no original is kept, and before the import ends. */
  readonly original_until: Date | null;
}

const columns = `id, user_id, connection_id, state, name, kind, bytes::float8 as bytes, bytes_read::float8 as bytes_read,
  position::float8 as position, member_path, member_position::float8 as member_position, members, members_damaged, members_unread, counts, skipped, first_time, last_time, error, created_at, finished_at,
  case when original_until > now() then original_until end as original_until`;
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
export interface Progress extends Pick<ImportBatch, 'position' | 'cursor' | 'counts' | 'skipped' | 'span'> {
  readonly kind: FileKind;
  readonly bytesRead: number;
  readonly members: number | null;
  readonly ended: EndedMembers;
}

/** Notes that the data up to a position is stored. Undefined if the import was cancelled or erased meanwhile. */
export async function noteProgress(
  transaction: Queryable,
  id: string,
  progress: Progress,
): Promise<ImportRow | undefined> {
  const { kind, bytesRead, position, cursor, counts, skipped, span, members, ended } = progress;
  const text = `update imports.import set kind = $2, bytes_read = greatest(bytes_read, $3), position = $4, counts = $5,
      skipped = $6, first_time = least(first_time, to_timestamp($7::float8 / 1000)),
      last_time = greatest(last_time, to_timestamp($8::float8 / 1000)), member_path = $9::int[], member_position = $10,
      members = $11, members_damaged = members_damaged + $12, members_unread = members_unread + $13, touched_at = now()
    where id = $1 and state = 'reading' returning ${columns}`;
  const times = [span?.start_ms ?? null, span?.end_ms ?? null];
  const found = [JSON.stringify(counts), JSON.stringify(skipped)];
  const values = [
    id,
    kind,
    bytesRead,
    position,
    ...found,
    ...times,
    cursor.path,
    cursor.position,
    members,
    ended.damaged,
    ended.unread,
  ];
  const [row] = await transaction.query<ImportRow>(text, values);
  if (row !== undefined) await insertMembers(transaction, id, ended.reports);
  return row;
}

/** Names members that have ended, as long as fewer than `mostReports` are named. */
async function insertMembers(
  transaction: Queryable,
  id: string,
  reports: readonly MemberReport[],
): Promise<void> {
  if (reports.length === 0) return;
  const text = `
    insert into imports.member (import_id, path, name, state, entries, reason)
    select $1, array(select jsonb_array_elements_text(r->'path')::int), r->>'name', r->>'state', (r->>'entries')::bigint, r->>'reason'
    from jsonb_array_elements($2::jsonb) with ordinality t (r, number)
    order by number limit greatest(0, $3 - (select count(*) from imports.member where import_id = $1))
    on conflict do nothing`;
  await transaction.query(text, [id, JSON.stringify(reports), mostReports]);
}

/** The members of an import that are named, in their order. */
export async function selectMembers(
  database: Queryable,
  id: string,
): Promise<FileImportReport['member_reports']> {
  const text = `select name, state, entries::float8 as entries, reason from imports.member where import_id = $1 order by path`;
  return database.query<FileImportReport['member_reports'][number]>(text, [id]);
}

/** How an import ends. */
interface ImportEnd {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly error?: string;
  /** How long a file that has arrived whole is kept. */
  readonly keptDays?: number;
}

/** Ends an open import. Undefined if it has ended. */
export async function endImport(
  database: Queryable,
  id: string,
  { state, error, keptDays = 0 }: ImportEnd,
): Promise<ImportRow | undefined> {
  const text = `update imports.import set state = $2, error = $3, finished_at = now(),
      bytes_read = case when $2 = 'done' then bytes else bytes_read end,
      original_until = case when state <> 'receiving' and $4 > 0 then now() + make_interval(hours => 24 * $4) end
    where id = $1 and ${open} returning ${columns}`;
  const [row] = await database.query<ImportRow>(text, [id, state, error ?? null, keptDays]);
  return row;
}

/** Ends the keeping of an original. Returns false if none was kept. */
export async function dropOriginal(database: Queryable, userId: string, id: string): Promise<boolean> {
  const text = `update imports.import set original_until = null
    where user_id = $1 and id = $2 and original_until > now() returning 1`;
  return (await database.query(text, [userId, id])).length > 0;
}

/** Keeps no original longer than a setting says that was lowered since. */
export async function shortenOriginals(database: Queryable, keptDays: number): Promise<void> {
  const text = `update imports.import set original_until = finished_at + make_interval(hours => 24 * $1)
    where original_until > finished_at + make_interval(hours => 24 * $1)`;
  await database.query(text, [keptDays]);
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

/** What is needed of the stored files with the given ids: all of an open import, the original that is kept. */
export async function selectNeeds(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, 'all' | 'original'>> {
  const text = `select id, case when ${open} then 'all' else 'original' end as need from imports.import
    where id = any($1::uuid[]) and (${open} or original_until > now())`;
  const rows = await database.query<{ id: string; need: 'all' | 'original' }>(text, [ids]);
  return new Map(rows.map(({ id, need }) => [id, need]));
}

/** Deletes imports that ended long ago. */
export async function deleteOldImports(database: Queryable, days: number): Promise<void> {
  await database.query('delete from imports.import where finished_at < now() - make_interval(days => $1)', [
    days,
  ]);
}
