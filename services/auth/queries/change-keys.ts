import type { Queryable } from '../../../mixins/database/database.ts';
import { sha256 } from '../tokens/secrets.ts';

/** A key as it is shown; times as they are. */
export interface ApiKeyRow {
  id: string;
  name: string;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
  /** The ids that it had before rotations. */
  former_ids: string[];
}

/** The columns of a key that are shown. */
export const shownColumns = 'id, name, created_by, created_at, last_used_at, former_ids';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// `{key_id}` is a key's id or the key itself, which is found by its hash.
const named = '(id = $1::uuid or hash = $2)';
const nameOf = (keyId: string) => [uuid.test(keyId) ? keyId : null, sha256(keyId)];

// One statement, so that at no time both keys are valid or none.
const rotate = `
with old as (delete from auth.api_key where ${named} returning id, name, created_by, former_ids)
insert into auth.api_key (hash, name, created_by, former_ids)
select $3, name, coalesce($4::uuid, created_by), former_ids || id from old
returning ${shownColumns}`;

/** Replaces a key with a new one of the same name; null if there is none. */
export async function rotateApiKey(
  database: Queryable,
  keyId: string,
  newHash: string,
  developerId: string | null,
): Promise<ApiKeyRow | null> {
  const [row] = await database.query<ApiKeyRow>(rotate, [...nameOf(keyId), newHash, developerId]);
  return row ?? null;
}

/** Renames a key; null when there is none. */
export async function renameApiKey(
  database: Queryable,
  keyId: string,
  name: string,
): Promise<ApiKeyRow | null> {
  const statement = `update auth.api_key set name = $3 where ${named} returning ${shownColumns}`;
  const [row] = await database.query<ApiKeyRow>(statement, [...nameOf(keyId), name]);
  return row ?? null;
}

/** Deletes a key; null when there is none. */
export async function deleteApiKey(database: Queryable, keyId: string): Promise<ApiKeyRow | null> {
  const statement = `delete from auth.api_key where ${named} returning ${shownColumns}`;
  const [row] = await database.query<ApiKeyRow>(statement, nameOf(keyId));
  return row ?? null;
}
