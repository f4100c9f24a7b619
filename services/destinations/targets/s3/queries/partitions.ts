import type { Queryable } from '../../../../../mixins/database/database.ts';

/** A file that is to be written: the rows of a type and UTC day, or one hour of it. */
export interface DirtyPartition {
  readonly type: string;
  /** `2026-01-31` */
  readonly date: string;
  /** -1: the whole day. */
  readonly hour: number;
}

// The hours of a day whose whole is to be written go with it.
const dirty = `
  from destinations.partition p where destination_id = $1 and dirty_at is not null
    and (hour = -1 or not exists (
      select from destinations.partition w
      where w.destination_id = $1 and w.type = p.type and w.date = p.date and w.hour = -1))`;

/** The files that are to be written, and were not within an interval. */
export function selectDirty(
  database: Queryable,
  destinationId: string,
  intervalSeconds: number,
  limit: number,
): Promise<DirtyPartition[]> {
  return database.query<DirtyPartition>(
    `select type, date::text as date, hour ${dirty}
       and (written_at is null or written_at <= now() - $2 * interval '1 second')
     order by type, p.date, hour limit $3`,
    [destinationId, intervalSeconds, limit],
  );
}

/** The id of the first change that is not written, or null. */
export async function selectFirstUnwritten(
  database: Queryable,
  destinationId: string,
): Promise<string | null> {
  const [row] = await database.query<{ id: string | null }>(
    'select min(dirty_at)::text as id from destinations.partition where destination_id = $1 and dirty_at is not null',
    [destinationId],
  );
  return row?.id ?? null;
}

/** A file that was written; null without rows. */
export interface WrittenPartition extends DirtyPartition {
  readonly file: string | null;
  readonly rows: number;
  readonly bytes: number;
}

/** Stores written files in place of the former ones, which are unused from this commit on. */
export async function storeWritten(
  transaction: Queryable,
  destinationId: string,
  commit: number,
  written: readonly WrittenPartition[],
): Promise<void> {
  const columns = [
    ...[written.map(({ type }) => type), written.map(({ date }) => date), written.map(({ hour }) => hour)],
  ];
  await transaction.query(
    `with w as (select * from unnest($3::text[], $4::date[], $5::smallint[]) w (type, date, hour)),
     former as (
       select p.file from destinations.partition p join w on p.type = w.type and p.date = w.date and (p.hour = w.hour or w.hour = -1)
       where p.destination_id = $1 and p.file is not null)
     update destinations.object o set unused_since = $2 from former f where o.destination_id = $1 and o.name = f.file`,
    [destinationId, commit, ...columns],
  );
  await transaction.query(
    `delete from destinations.partition p using unnest($2::text[], $3::date[], $4::smallint[]) w (type, date, hour)
     where p.destination_id = $1 and p.type = w.type and p.date = w.date and w.hour = -1 and p.hour >= 0`,
    [destinationId, ...columns],
  );
  await transaction.query(
    `update destinations.partition p set file = w.file, rows = w.rows, bytes = w.bytes, dirty_at = null, written_at = now()
     from unnest($2::text[], $3::date[], $4::smallint[], $5::text[], $6::bigint[], $7::bigint[]) w (type, date, hour, file, rows, bytes)
     where p.destination_id = $1 and p.type = w.type and p.date = w.date and p.hour = w.hour`,
    [
      ...[destinationId, ...columns, written.map(({ file }) => file), written.map(({ rows }) => rows)],
      written.map(({ bytes }) => bytes),
    ],
  );
  await transaction.query(
    `update destinations.object set unused_since = null where destination_id = $1 and name = any($2)`,
    [destinationId, written.flatMap(({ file }) => file ?? [])],
  );
  // Rows of days without data go: a change that names such a day makes a new one.
  await transaction.query(
    `delete from destinations.partition where destination_id = $1 and file is null and dirty_at is null
       and written_at < now() - interval '1 day'`,
    [destinationId],
  );
}

/** A file of the manifest. */
export interface ListedFile {
  readonly type: string;
  readonly date: string;
  readonly hour: number;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The files of the last commit, but for those that are replaced now. */
export async function selectFiles(database: Queryable, destinationId: string): Promise<ListedFile[]> {
  return database.query<ListedFile>(
    `select type, date::text as date, hour, file, rows::float8 as rows, bytes::float8 as bytes
     from destinations.partition where destination_id = $1 and file is not null order by type, date, hour`,
    [destinationId],
  );
}

/** Stores the days on which users have rows in written files: [user, type, date]. */
export async function storeSpans(
  transaction: Queryable,
  destinationId: string,
  users: readonly (readonly [user: string, type: string, date: string])[],
): Promise<void> {
  const usersPerStatement = 20_000;
  for (let first = 0; first < users.length; first += usersPerStatement) {
    const part = users.slice(first, first + usersPerStatement);
    await transaction.query(
      `insert into destinations.user_span as s (destination_id, user_id, type, first_date, last_date)
       select $1, user_id, type, min(date), max(date)
       from unnest($2::uuid[], $3::text[], $4::date[]) u (user_id, type, date) group by user_id, type order by user_id, type
       on conflict (destination_id, user_id, type) do update set
         first_date = least(s.first_date, excluded.first_date), last_date = greatest(s.last_date, excluded.last_date)
       where s.first_date > excluded.first_date or s.last_date < excluded.last_date`,
      [
        destinationId,
        part.map(([user]) => user),
        part.map(([, type]) => type),
        part.map(([, , date]) => date),
      ],
    );
  }
}

/** The place of a record in written files. */
export interface PlacedRecord {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly date: string;
}

/** Stores the records of written days in place of those that were there. */
export async function storeRecords(
  transaction: Queryable,
  destinationId: string,
  written: readonly DirtyPartition[],
  records: readonly PlacedRecord[],
): Promise<void> {
  await transaction.query(
    `delete from destinations.record r using unnest($2::text[], $3::date[]) w (type, date)
     where r.destination_id = $1 and r.type = w.type and r.date = w.date`,
    [destinationId, written.map(({ type }) => type), written.map(({ date }) => date)],
  );
  await transaction.query(
    `insert into destinations.record (destination_id, id, user_id, type, date)
     select $1, r.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::date[]) r (id, user_id, type, date)
     on conflict (destination_id, id, type) do update set date = excluded.date, user_id = excluded.user_id`,
    [
      ...[destinationId, records.map(({ id }) => id), records.map(({ user_id }) => user_id)],
      ...[records.map(({ type }) => type), records.map(({ date }) => date)],
    ],
  );
}

/** Deletes what is stored of the files of a destination, which begins at another place. */
export async function forgetFiles(transaction: Queryable, destinationId: string): Promise<void> {
  for (const table of ['partition', 'object', 'record', 'user_span'])
    await transaction.query(`delete from destinations.${table} where destination_id = $1`, [destinationId]);
}
