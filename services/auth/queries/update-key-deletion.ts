import type { AuditDetails } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** Adds to the details of the newest audit entry of a member's removal. */
export async function updateRemoval(
  on: Queryable,
  project: string,
  developerId: string,
  details: AuditDetails,
): Promise<void> {
  await on.query(
    `update auth.audit_entry set details = coalesce(details, '{}') || $3::jsonb where id = (
       select max(id) from auth.audit_entry where action = 'member.removed' and subject_id = $1 and project_id = $2)`,
    [developerId, project, JSON.stringify(details)],
  );
}

/** Sets the details of the audit entry of a key's deletion. */
export async function updateKeyDeletion(
  database: Queryable,
  keyId: string,
  details: AuditDetails,
): Promise<void> {
  await database.query(
    "update auth.audit_entry set details = $2 where action = 'api_key.deleted' and subject_id = $1",
    [keyId, JSON.stringify(details)],
  );
}
