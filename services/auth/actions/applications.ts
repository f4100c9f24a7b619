import type * as wire from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { newAppId, newAppSecret, sha256 } from '../rules/secrets.ts';
import { acting, actingWith } from '../tables/acting.ts';
import { rotateSecret, type ShownApplication } from '../tables/applications.ts';
import { Application } from '../tables/entities.ts';
import type { AuthDeps, ChangeDeps } from '../work/deps.ts';

/** The wire format of an application's row, without its secret. */
export function toApplication({ id, appId, name, createdAt }: ShownApplication): wire.Application {
  return { id, app_id: appId, name, created_at: formatInstant(createdAt.getTime()) };
}

/** Creates an application. Only this answer contains its secret. */
export async function createApplication(
  { orm, origin }: Pick<AuthDeps, 'orm' | 'origin'>,
  projectId: string,
  name: string,
): Promise<wire.NewApplication> {
  const secret = newAppSecret();
  const row = await actingWith(orm, origin, async (em) => {
    const application = em.create(Application, {
      name,
      projectId,
      appId: newAppId(),
      secretHash: sha256(secret),
    });
    await em.persist(application).flush();
    return application;
  });
  return { ...toApplication(row), app_secret: secret };
}

/** Changes an application and returns the new state. @throws APPLICATION_NOT_FOUND (404) */
export function changeApplication(
  { orm, origin }: Pick<AuthDeps, 'orm' | 'origin'>,
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
  { database, origin }: ChangeDeps,
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
  { orm, origin }: Pick<AuthDeps, 'orm' | 'origin'>,
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
