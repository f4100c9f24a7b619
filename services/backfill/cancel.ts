import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { endRun } from './queries/end-run.ts';

/** The backfill to cancel. */
export interface CancelledRun {
  readonly userId: string;
  readonly provider: ProviderName;
  readonly connectionId: string;
}

/** Cancels the backfill of a connection; a backfill that has ended is unchanged. */
export function cancelBackfill(
  database: Database,
  origin: AuditOrigin,
  { userId, provider, connectionId }: CancelledRun,
): Promise<void> {
  return database.transaction(async (transaction) => {
    if (!(await endRun(transaction, connectionId, 'cancelled', null))) return;
    const entry = { userId, subjectId: connectionId, details: { provider } };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.cancelled' });
  });
}
