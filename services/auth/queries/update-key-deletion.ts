import type { AuditDetails } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

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
