import type { Queryable } from '../../../mixins/database/database.ts';

/** Stores the names of objects before they are written: until the commit they are unused. */
export async function insertObjects(
  database: Queryable,
  destinationId: string,
  commit: number,
  names: readonly string[],
): Promise<void> {
  await database.query(
    `insert into destinations.object (destination_id, name, unused_since) select $1, unnest($3::text[]), $2
     on conflict (destination_id, name) do update set unused_since = excluded.unused_since`,
    [destinationId, commit, names],
  );
}

/** Stores the upload of an object that is written in parts. */
export async function noteUpload(
  database: Queryable,
  destinationId: string,
  name: string,
  uploadId: string | null,
): Promise<void> {
  await database.query(
    'update destinations.object set upload_id = $3 where destination_id = $1 and name = $2',
    [destinationId, name, uploadId],
  );
}

/** An object that no manifest names. */
interface UnusedObject {
  readonly name: string;
  readonly upload_id: string | null;
}

/** Objects that are unused since a commit or an earlier one. */
export function selectUnused(
  database: Queryable,
  destinationId: string,
  commit: number,
  limit: number,
): Promise<UnusedObject[]> {
  return database.query<UnusedObject>(
    `select name, upload_id from destinations.object where destination_id = $1 and unused_since <= $2
     order by unused_since limit $3`,
    [destinationId, commit, limit],
  );
}

/** Deletes the names of objects that are gone. */
export async function deleteObjects(
  database: Queryable,
  destinationId: string,
  names: readonly string[],
): Promise<void> {
  await database.query('delete from destinations.object where destination_id = $1 and name = any($2)', [
    destinationId,
    names,
  ]);
}

/** Of some names those that the current manifest does not have. */
export async function selectUnknown(
  database: Queryable,
  destinationId: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select name from unnest($2::text[]) n (name) where not exists (
       select from destinations.object o where o.destination_id = $1 and o.name = n.name and o.unused_since is null)`,
    [destinationId, names],
  );
  return rows.map(({ name }) => name);
}

/** The commit since which objects are unused that were there before the first one. */
export const adoptedCommit = 0;

/** Deletes the names of objects that were there before the first commit. */
export async function deleteAdopted(database: Queryable, destinationId: string): Promise<void> {
  await database.query('delete from destinations.object where destination_id = $1 and unused_since = $2', [
    destinationId,
    adoptedCommit,
  ]);
}

/** The number of objects whose names are stored. */
export async function countObjects(database: Queryable, destinationId: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::int as n from destinations.object where destination_id = $1',
    [destinationId],
  );
  return row?.n ?? 0;
}
