import type * as wire from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { newAppId, newAppSecret, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import {
  deleteApplication,
  insertApplication,
  renameApplication,
  rotateSecret,
  type ShownApplication,
} from '../tables/applications.ts';
import type { ChangeDeps } from '../work/deps.ts';

/** The wire format of an application's row, without its secret. @throws APPLICATION_NOT_FOUND (404) if there is none */
export function toApplication(row: ShownApplication | null): wire.Application {
  if (row === null) throw new ServiceError('APPLICATION_NOT_FOUND');
  return {
    id: row.id,
    app_id: row.appId,
    name: row.name,
    created_at: formatInstant(row.createdAt.getTime()),
  };
}

/** Creates an application. Only this answer contains its secret. */
export async function createApplication(
  { database, origin }: ChangeDeps,
  project: string,
  name: string,
): Promise<wire.NewApplication> {
  const app_secret = newAppSecret();
  const application = { appId: newAppId(), name, secretHash: sha256(app_secret) };
  const row = await acting(database, origin, (on) => insertApplication(on, project, application));
  return { ...toApplication(row), app_secret };
}

/** Renames an application. @throws APPLICATION_NOT_FOUND (404) */
export async function changeApplication(
  { database, origin }: ChangeDeps,
  project: string,
  appId: string,
  name: string,
): Promise<wire.Application> {
  return toApplication(await acting(database, origin, (on) => renameApplication(on, project, appId, name)));
}

/** Replaces the secret of an application and ends the tokens that it obtained. @throws APPLICATION_NOT_FOUND (404) */
export async function replaceSecret(
  { database, origin }: ChangeDeps,
  project: string,
  appId: string,
): Promise<wire.NewApplication> {
  const app_secret = newAppSecret();
  const row = await acting(database, origin, (on) => rotateSecret(on, project, appId, sha256(app_secret)));
  return { ...toApplication(row), app_secret };
}

/** Deletes an application and ends the tokens that it obtained. @throws APPLICATION_NOT_FOUND (404) */
export async function removeApplication(
  { database, origin }: ChangeDeps,
  project: string,
  appId: string,
): Promise<wire.Application> {
  return toApplication(await acting(database, origin, (on) => deleteApplication(on, project, appId)));
}
