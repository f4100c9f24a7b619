import type { Queryable } from '../../../mixins/database/database.ts';
import type { Application } from '../auth.entities.ts';
import { endFamiliesOfApplication } from './end-families.ts';

// The secret is written before the families are ended: a token that is being issued with the old secret holds a lock on the
// row until it is committed, so it is ended with the others.
const statement = `
update auth.application set secret_hash = $2 where app_id = $1
returning id, app_id as "appId", name, created_at as "createdAt"`;

/** Replaces the secret of an application and ends all tokens that it obtained; null if there is no such application. */
export async function rotateSecret(
  transaction: Queryable,
  appId: string,
  newHash: string,
): Promise<Omit<Application, 'secretHash'> | null> {
  const [row] = await transaction.query<Omit<Application, 'secretHash'>>(statement, [appId, newHash]);
  if (row === undefined) return null;
  await endFamiliesOfApplication(transaction, row.id);
  return row;
}
