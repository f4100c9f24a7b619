import type { Queryable } from '../../../mixins/database/database.ts';
import { newestFirst } from './developers.ts';
import type { Application } from './entities.ts';
import { endFamiliesOfApplication } from './families.ts';

// The secret is written before the families are ended: a token that is being issued with the old secret holds a lock on the
// row until it is committed, so it is ended with the others.
const statement = `
update auth.application set secret_hash = $2 where app_id = $1 and project_id = $3
returning id, app_id as "appId", name, created_at as "createdAt"`;

/** Replaces the secret of an application and ends all tokens that it obtained; null if there is no such application. */
export async function rotateSecret(
  transaction: Queryable,
  projectId: string,
  appId: string,
  newHash: string,
): Promise<ShownApplication | null> {
  const [row] = await transaction.query<ShownApplication>(statement, [appId, newHash, projectId]);
  if (row === undefined) return null;
  await endFamiliesOfApplication(transaction, row.id);
  return row;
}

/** The applications of a project, newest first, without their secrets. */
export const selectApplications = (database: Queryable, project: string): Promise<ShownApplication[]> =>
  database.query(
    `select id, app_id as "appId", name, created_at as "createdAt" from auth.application
     where project_id = $1 ${newestFirst}`,
    [project],
  );

/** An application without its secret. */
export type ShownApplication = Pick<Application, 'id' | 'appId' | 'name' | 'createdAt'>;

/** An application with the hash of its secret. */
interface ApplicationSecret {
  readonly id: string;
  readonly secretHash: string;
  readonly project: string;
}

/** The hash of an application's secret; null when there is no such application. */
export async function selectApplicationSecret(
  database: Queryable,
  appId: string,
): Promise<ApplicationSecret | null> {
  const statement =
    'select id, secret_hash as "secretHash", project_id as project from auth.application where app_id = $1';
  const [row] = await database.query<ApplicationSecret>(statement, [appId]);
  return row ?? null;
}
