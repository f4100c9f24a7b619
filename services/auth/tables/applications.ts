import { type Database, firstRow, type Queryable } from '../../../mixins/database/database.ts';
import { newestFirst } from './developers.ts';
import { endFamiliesOfApplication } from './families.ts';

/** An application without its secret. */
export interface ShownApplication {
  readonly id: string;
  readonly appId: string;
  readonly name: string;
  readonly createdAt: Date;
}

const columns = 'id, app_id as "appId", name, created_at as "createdAt"';

/** The applications of a project, newest first, without their secrets. */
export const selectApplications = (database: Queryable, project: string): Promise<ShownApplication[]> =>
  database.query(`select ${columns} from auth.application where project_id = $1 ${newestFirst}`, [project]);

/** Inserts an application by the hash of its secret. */
export async function insertApplication(
  transaction: Queryable,
  project: string,
  { appId, name, secretHash }: { readonly appId: string; readonly name: string; readonly secretHash: string },
): Promise<ShownApplication> {
  const [row] = await transaction.query<ShownApplication>(
    `insert into auth.application (project_id, app_id, name, secret_hash) values ($1, $2, $3, $4) returning ${columns}`,
    [project, appId, name, secretHash],
  );
  if (row === undefined) throw new Error('the application was not written');
  return row;
}

/** Renames an application. The same name is no change, without an audit entry. Null if there is no such application. */
export async function renameApplication(
  transaction: Queryable,
  project: string,
  appId: string,
  name: string,
): Promise<ShownApplication | null> {
  return (
    (await firstRow<ShownApplication>(
      transaction,
      `with renamed as (
       update auth.application set name = $3 where app_id = $1 and project_id = $2 and name <> $3 returning *)
     select ${columns} from renamed
     union all select ${columns} from auth.application where app_id = $1 and project_id = $2 and name = $3`,
      [appId, project, name],
    )) ?? null
  );
}

// The secret is written before the families are ended: a token that is being issued with the old secret holds a lock on the
// row until it is committed, so it is ended with the others.
const rotateStatement = `
update auth.application set secret_hash = $2 where app_id = $1 and project_id = $3 returning ${columns}`;

/** Replaces the secret of an application and ends all tokens that it obtained; null if there is no such application. */
export async function rotateSecret(
  transaction: Queryable,
  projectId: string,
  appId: string,
  newHash: string,
): Promise<ShownApplication | null> {
  const [row] = await transaction.query<ShownApplication>(rotateStatement, [appId, newHash, projectId]);
  if (row === undefined) return null;
  await endFamiliesOfApplication(transaction, row.id);
  return row;
}

/** Deletes an application with the tokens that it obtained; null if there is no such application. */
export async function deleteApplication(
  transaction: Queryable,
  project: string,
  appId: string,
): Promise<ShownApplication | null> {
  const statement = `delete from auth.application where app_id = $1 and project_id = $2 returning ${columns}`;
  return (await firstRow<ShownApplication>(transaction, statement, [appId, project])) ?? null;
}

/** An application with the hash of its secret: SHA-256 in hex, or bcrypt until the secret of a moved application is first used. */
export interface ApplicationSecret {
  readonly id: string;
  readonly appId: string;
  readonly secretHash: string;
  readonly project: string;
}

/** The hash of an application's secret; null when there is no such application. */
export async function selectApplicationSecret(
  database: Queryable,
  appId: string,
): Promise<ApplicationSecret | null> {
  const statement =
    'select id, app_id as "appId", secret_hash as "secretHash", project_id as project from auth.application where app_id = $1';
  return (await firstRow<ApplicationSecret>(database, statement, [appId])) ?? null;
}

/** Replaces the bcrypt hash of a secret by ours, if it is still the one that the secret was compared with. */
export async function rehashSecret(
  database: Database,
  { id, secretHash }: Pick<ApplicationSecret, 'id' | 'secretHash'>,
  newHash: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // The secret stays the same, so the trigger writes no audit entry.
    await transaction.query("select set_config('auth.rehashes', 'on', true)");
    const statement = 'update auth.application set secret_hash = $3 where id = $1 and secret_hash = $2';
    await transaction.query(statement, [id, secretHash, newHash]);
  });
}
