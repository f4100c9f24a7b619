import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';

/** A developer as shown; times as they are. */
export interface DeveloperRow {
  id: string;
  email: string;
  created_at: Date;
  is_owner: boolean;
  confirmed_at: Date | null;
}

/**
 * Deletes a developer with the sessions and issued tokens. All rows are locked first, in one order, so that of two
 * owners who delete each other at the same time, one remains.
 * @throws DEVELOPER_NOT_FOUND (404), LAST_DEVELOPER (409)
 */
export function deleteDeveloper(database: Database, origin: AuditOrigin, id: string): Promise<DeveloperRow> {
  return acting(database, origin, async (transaction) => {
    const all = await transaction.query<{ id: string; is_owner: boolean }>(
      'select id, is_owner from auth.developer order by id for update',
    );
    if (!all.some((developer) => developer.id === id)) throw new ServiceError('DEVELOPER_NOT_FOUND');
    if (!all.some((developer) => developer.is_owner && developer.id !== id))
      throw new ServiceError('LAST_DEVELOPER');
    const statement =
      'delete from auth.developer where id = $1 returning id, email, created_at, is_owner, confirmed_at';
    const [deleted] = await transaction.query<DeveloperRow>(statement, [id]);
    if (deleted === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
    return deleted;
  });
}
