import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { lockUser } from '../queries/lock-user.ts';
import { revokeActive } from '../queries/revoke-connection.ts';

/** A provider's report that the user ended our access to an account. */
export interface ReportedEnding {
  readonly connection_id: string;
  readonly user_id: string;
}

/** Ends a connection as its provider reported, without a token revocation. Returns false if it has ended before. */
export function endByEvent(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  { connection_id, user_id }: ReportedEnding,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, user_id))) return false;
    const provider = await revokeActive(transaction, connection_id);
    if (provider === null) return false;
    await recordAudit(transaction, origin, {
      action: 'connection.revoked',
      userId: user_id,
      subjectId: connection_id,
      details: { provider, cause: 'event' },
    });
    return true;
  });
}
