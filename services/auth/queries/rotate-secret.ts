import type { Queryable } from '../../../mixins/database/database.ts';
import { endFamiliesOfApplication } from './end-families.ts';
import type { ShownApplication } from './select-listed.ts';

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
