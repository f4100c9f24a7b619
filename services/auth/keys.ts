import type * as wire from '../../contracts/auth/schemas.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import type { Orm } from '../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { acting, actingWith, rotating } from './actor.ts';
import { ApiKey, Application } from './auth.entities.ts';
import { type ApiKeyRow, rotateApiKey } from './queries/change-keys.ts';
import { rotateSecret } from './queries/rotate-secret.ts';
import { newApiKey, newAppId, newAppSecret, sha256 } from './tokens/secrets.ts';
import { toApiKey, toApplication } from './wire.ts';

/** Dependencies of a change, with the origin for its audit entry. */
export interface Acting {
  readonly orm: Orm;
  readonly database: Database;
  readonly origin: AuditOrigin;
}

/** Creates an API key. Only this answer contains its text. */
export async function createApiKey(
  { orm, origin }: Acting,
  name: string,
  createdBy: string,
): Promise<wire.NewApiKey> {
  const key = newApiKey();
  const row = await actingWith(orm, origin, async (em) => {
    const made = em.create(ApiKey, { name, createdBy, hash: sha256(key) });
    await em.persist(made).flush();
    return made;
  });
  return { ...toApiKey(row), key };
}

/** Replaces a key with a new one. @throws API_KEY_NOT_FOUND (404) */
export async function replaceApiKey(
  { database, origin }: Acting,
  keyId: string,
  developerId: string | null,
): Promise<wire.NewApiKey> {
  const key = newApiKey();
  const replace = (on: Queryable) => rotateApiKey(on, keyId, sha256(key), developerId);
  return { ...shownKey(await rotating(database, origin, replace)), key };
}

/** The wire format of a key's row. @throws API_KEY_NOT_FOUND (404) if there is none */
export function shownKey(row: ApiKeyRow | null): wire.ApiKey {
  if (row === null) throw new ServiceError('API_KEY_NOT_FOUND');
  const { id, name, created_by: createdBy, created_at: createdAt, last_used_at: lastUsedAt } = row;
  return toApiKey({ id, name, createdBy, createdAt, lastUsedAt }, row.former_ids);
}

/** Creates an application. Only this answer contains its secret. */
export async function createApplication({ orm, origin }: Acting, name: string): Promise<wire.NewApplication> {
  const secret = newAppSecret();
  const row = await actingWith(orm, origin, async (em) => {
    const made = em.create(Application, { name, appId: newAppId(), secretHash: sha256(secret) });
    await em.persist(made).flush();
    return made;
  });
  return { ...toApplication(row), app_secret: secret };
}

/** Changes an application and returns the new state. @throws APPLICATION_NOT_FOUND (404) */
export function changeApplication(
  { orm, origin }: Acting,
  appId: string,
  change: { readonly name: string },
): Promise<Application> {
  return actingWith(orm, origin, async (em) => {
    const row = await em.findOne(Application, { appId });
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
  appId: string,
): Promise<wire.NewApplication> {
  const secret = newAppSecret();
  const row = await acting(database, origin, (on) => rotateSecret(on, appId, sha256(secret)));
  if (row === null) throw new ServiceError('APPLICATION_NOT_FOUND');
  return { ...toApplication(row), app_secret: secret };
}

/** Deletes an application and ends the tokens that it obtained. @throws APPLICATION_NOT_FOUND (404) */
export function deleteApplication({ orm, origin }: Acting, appId: string): Promise<Application> {
  return actingWith(orm, origin, async (em) => {
    const row = await em.findOne(Application, { appId });
    const deleted = row === null ? 0 : await em.nativeDelete(Application, { id: row.id });
    if (row === null || deleted === 0) throw new ServiceError('APPLICATION_NOT_FOUND');
    return row;
  });
}
