import type { KeyScope } from '../../../domain/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { AuditDetails } from '../../../mixins/database/audit.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';
import { sha256 } from '../rules/secrets.ts';
import { newestFirst } from './developers.ts';

/** A key as it is shown; times as they are. */
export interface ApiKeyRow {
  id: string;
  name: string;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
  /** The ids that it had before rotations. */
  former_ids: string[];
  /** Null: all. */
  scopes: KeyScope[] | null;
  expires_at: Date | null;
  /** The address ranges that it may be used from; null: any. */
  addresses: string[] | null;
}

/** The columns of a key that are shown. */
const shownColumns =
  'id, name, created_by, created_at, last_used_at, former_ids, scopes, expires_at, addresses';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// `{key_id}` is a key's id or the key itself, which is found by its hash.
const isNamed = 'project_id = $3 and (id = $1::uuid or hash = $2)';
const nameOf = (project: string, keyId: string) => [uuid.test(keyId) ? keyId : null, sha256(keyId), project];

const insert = `
insert into auth.api_key (project_id, hash, name, created_by, scopes, expires_at, addresses)
values ($1, $2, $3, $4, $5, $6, $7) returning ${shownColumns}`;

/** Inserts a key by the hash of its text. */
export async function insertApiKey(
  database: Queryable,
  project: string,
  hash: string,
  { name, scopes, expires_at, addresses }: Pick<ApiKeyRow, 'name' | 'scopes' | 'expires_at' | 'addresses'>,
  createdBy: string,
): Promise<ApiKeyRow> {
  const values = [project, hash, name, createdBy, scopes, expires_at, addresses];
  const [row] = await database.query<ApiKeyRow>(insert, values);
  if (row === undefined) throw new Error('the key was not written');
  return row;
}

// One statement replaces the key, so that exactly one of the two is valid at any time.
const rotate = `
with old as (delete from auth.api_key where ${isNamed} returning *)
insert into auth.api_key (hash, name, created_by, former_ids, project_id, scopes, expires_at, addresses)
select $4, name, coalesce($5::uuid, created_by), former_ids || id, project_id, scopes, expires_at, addresses from old
returning ${shownColumns}`;

/** Replaces a key with a new one of the same name; null if there is none. */
export async function rotateApiKey(
  database: Queryable,
  project: string,
  keyId: string,
  newHash: string,
  developerId: string | null,
): Promise<ApiKeyRow | null> {
  return (
    (await firstRow<ApiKeyRow>(database, rotate, [...nameOf(project, keyId), newHash, developerId])) ?? null
  );
}

/** Renames a key; null when there is none. */
export async function renameApiKey(
  database: Queryable,
  project: string,
  keyId: string,
  name: string,
): Promise<ApiKeyRow | null> {
  const statement = `update auth.api_key set name = $4 where ${isNamed} returning ${shownColumns}`;
  return (await firstRow<ApiKeyRow>(database, statement, [...nameOf(project, keyId), name])) ?? null;
}

/** The keys of a project that a developer made. */
export const selectKeysOf = (on: Queryable, project: string, developerId: string): Promise<ApiKeyRow[]> =>
  on.query(`select ${shownColumns} from auth.api_key where project_id = $1 and created_by = $2 order by id`, [
    project,
    developerId,
  ]);

/**
 * Locks the membership of a developer who creates or rotates a key. A concurrent removal of the member either finds
 * the key or prevents its creation. @throws FORBIDDEN (403) if the member was removed
 */
export async function holdMembership(on: Queryable, project: string, developerId: string): Promise<void> {
  const ofMember = 'select from auth.member where project_id = $1 and developer_id = $2 for share';
  if ((await on.query(ofMember, [project, developerId])).length > 0) return;
  const ofOwner = 'select from auth.developer where id = $1 and is_owner for share';
  if ((await on.query(ofOwner, [developerId])).length === 0) throw new ServiceError('FORBIDDEN');
}

/** Deletes a key; null when there is none. */
export async function deleteApiKey(
  database: Queryable,
  project: string,
  keyId: string,
): Promise<ApiKeyRow | null> {
  const statement = `delete from auth.api_key where ${isNamed} returning ${shownColumns}`;
  return (await firstRow<ApiKeyRow>(database, statement, nameOf(project, keyId))) ?? null;
}

/** The API keys of a project, newest first. */
export const selectApiKeys = (database: Queryable, project: string): Promise<ApiKeyRow[]> =>
  database.query(`select ${shownColumns} from auth.api_key where project_id = $1 ${newestFirst}`, [project]);

/** Adds to the details of the newest audit entry of a member's removal. */
export async function updateRemoval(
  on: Queryable,
  project: string,
  developerId: string,
  details: AuditDetails,
): Promise<void> {
  await on.query(
    `update auth.audit_entry set details = coalesce(details, '{}') || $3::jsonb where id = (
       select max(id) from auth.audit_entry where action = 'member.removed' and subject_id = $1 and project_id = $2)`,
    [developerId, project, JSON.stringify(details)],
  );
}

/** Sets the details of the audit entry of a key's deletion. */
export async function updateKeyDeletion(
  database: Queryable,
  keyId: string,
  details: AuditDetails,
): Promise<void> {
  await database.query(
    "update auth.audit_entry set details = $2 where action = 'api_key.deleted' and subject_id = $1",
    [keyId, JSON.stringify(details)],
  );
}
