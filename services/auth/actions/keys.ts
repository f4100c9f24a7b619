import type * as wire from '../../../contracts/auth/schemas.ts';
import type { DeletedApiKey } from '../../../contracts/auth/schemas.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { newApiKey, sha256 } from '../rules/secrets.ts';
import { acting, rotating } from '../tables/acting.ts';
import {
  type ApiKeyRow,
  deleteApiKey,
  holdMembership,
  insertApiKey,
  rotateApiKey,
} from '../tables/api-keys.ts';
import type { CallDeps, ChangeDeps } from '../work/deps.ts';
import { endKey, enqueueEnding } from '../work/end-key.ts';

/** A new key. */
type NewKey = Pick<ApiKeyRow, 'name' | 'scopes' | 'expires_at' | 'addresses'>;

/** Creates an API key. Only this answer contains its text. @throws VALIDATION_FAILED (422) for an end that has passed */
export async function createApiKey(
  { database, origin }: ChangeDeps,
  project: string,
  values: NewKey,
  createdBy: string,
): Promise<wire.NewApiKey> {
  if (values.expires_at !== null && values.expires_at.getTime() <= Date.now())
    throw validationFailed([{ field: 'expires_at', message: 'must be in the future' }]);
  const key = newApiKey();
  const row = await acting(database, origin, async (on) => {
    await holdMembership(on, project, createdBy);
    return insertApiKey(on, project, sha256(key), values, createdBy);
  });
  return { ...toApiKey(row), key };
}

/** Replaces a key with a new one. @throws API_KEY_NOT_FOUND (404) */
export async function replaceApiKey(
  { database, origin }: ChangeDeps,
  project: string,
  keyId: string,
  developerId: string | null,
): Promise<wire.NewApiKey> {
  const key = newApiKey();
  const replace = async (on: Queryable) => {
    if (developerId !== null) await holdMembership(on, project, developerId);
    return rotateApiKey(on, project, keyId, sha256(key), developerId);
  };
  return { ...shownKey(await rotating(database, origin, replace)), key };
}

/** The wire format of a key's row. @throws API_KEY_NOT_FOUND (404) if there is none */
export function shownKey(row: ApiKeyRow | null): wire.ApiKey {
  if (row === null) throw new ServiceError('API_KEY_NOT_FOUND');
  return toApiKey(row);
}

/** The wire format of a key's row, without the key itself. */
function toApiKey(row: ApiKeyRow): wire.ApiKey {
  return {
    id: row.id,
    name: row.name,
    created_by: row.created_by,
    created_at: formatInstant(row.created_at.getTime()),
    last_used_at: instantOrNull(row.last_used_at),
    former_ids: row.former_ids,
    scopes: row.scopes,
    expires_at: instantOrNull(row.expires_at),
    addresses: row.addresses,
  };
}

/**
 * Deletes an API key, disables the webhook endpoints whose address it set, and pauses its destinations. A job
 * completes this if the process ends in between. @throws API_KEY_NOT_FOUND (404)
 */
export async function removeKey(
  { database, call, origin }: CallDeps & ChangeDeps,
  project: string,
  { key_id, keep_endpoints }: { readonly key_id: string; readonly keep_endpoints: boolean },
): Promise<DeletedApiKey> {
  const ended = await acting(database, origin, async (on) => {
    const row = await deleteApiKey(on, project, key_id);
    if (row === null) throw new ServiceError('API_KEY_NOT_FOUND');
    return { key: shownKey(row), job: await enqueueEnding(on, row, keep_endpoints, origin) };
  });
  const webhook_endpoints = await endKey({ database, call }, ended.job).catch(() => null);
  return { ...ended.key, webhook_endpoints };
}
