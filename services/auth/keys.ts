import type * as wire from '../../contracts/auth/schemas.ts';
import { ServiceError, validationFailed } from '../../domain/errors.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import type { Orm } from '../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { acting, actingWith, rotating } from './actor.ts';
import { Application } from './auth.entities.ts';
import { type ApiKeyRow, holdMembership, insertApiKey, rotateApiKey } from './queries/change-keys.ts';
import { rotateSecret } from './queries/rotate-secret.ts';
import { newApiKey, newAppId, newAppSecret, sha256 } from './tokens/secrets.ts';
import { toApiKey, toApplication } from './wire.ts';

/** Dependencies of a change, with the origin for its audit entry. */
export interface Acting {
  readonly orm: Orm;
  readonly database: Database;
  readonly origin: AuditOrigin;
}

/** A new key. */
export type NewKey = Pick<ApiKeyRow, 'name' | 'scopes' | 'expires_at' | 'addresses'>;

/** Creates an API key. Only this answer contains its text. @throws VALIDATION_FAILED (422) for an end that has passed */
export async function createApiKey(
  { database, origin }: Acting,
  project: string,
  given: NewKey,
  createdBy: string,
): Promise<wire.NewApiKey> {
  if (given.expires_at !== null && given.expires_at.getTime() <= Date.now())
    throw validationFailed([{ field: 'expires_at', message: 'must be in the future' }]);
  const key = newApiKey();
  const row = await acting(database, origin, async (on) => {
    await holdMembership(on, project, createdBy);
    return insertApiKey(on, project, sha256(key), given, createdBy);
  });
  return { ...toApiKey(row), key };
}

/** Replaces a key with a new one. @throws API_KEY_NOT_FOUND (404) */
export async function replaceApiKey(
  { database, origin }: Acting,
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

/** Creates an application. Only this answer contains its secret. */
export async function createApplication(
  { orm, origin }: Acting,
  projectId: string,
  name: string,
): Promise<wire.NewApplication> {
  const secret = newAppSecret();
  const row = await actingWith(orm, origin, async (em) => {
    const made = em.create(Application, { name, projectId, appId: newAppId(), secretHash: sha256(secret) });
    await em.persist(made).flush();
    return made;
  });
  return { ...toApplication(row), app_secret: secret };
}

/** Changes an application and returns the new state. @throws APPLICATION_NOT_FOUND (404) */
export function changeApplication(
  { orm, origin }: Acting,
  projectId: string,
  appId: string,
  change: { readonly name: string },
): Promise<Application> {
  return actingWith(orm, origin, async (em) => {
    const row = await em.findOne(Application, { appId, projectId });
    if (row === null) throw new ServiceError('APPLICATION_NOT_FOUND');
    em.assign(row, change);
    await em.flush();
    return row;
  });
}

/**
 * Replaces the secret of an application; the tokens that it obtained are ended.
 * @throws APPLICATION_NOT_FOUND (404)
 */
export async function replaceSecret(
  { database, origin }: Acting,
  projectId: string,
  appId: string,
): Promise<wire.NewApplication> {
  const secret = newAppSecret();
  const row = await acting(database, origin, (on) => rotateSecret(on, projectId, appId, sha256(secret)));
  if (row === null) throw new ServiceError('APPLICATION_NOT_FOUND');
  return { ...toApplication(row), app_secret: secret };
}

/** Deletes an application and ends the tokens that it obtained. @throws APPLICATION_NOT_FOUND (404) */
export function deleteApplication(
  { orm, origin }: Acting,
  projectId: string,
  appId: string,
): Promise<Application> {
  return actingWith(orm, origin, async (em) => {
    const row = await em.findOne(Application, { appId, projectId });
    const deleted = row === null ? 0 : await em.nativeDelete(Application, { id: row.id });
    if (row === null || deleted === 0) throw new ServiceError('APPLICATION_NOT_FOUND');
    return row;
  });
}
