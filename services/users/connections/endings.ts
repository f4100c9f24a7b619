import type { Config } from '../../../config.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { providers } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { hasRoom, lockAccessCheck, openAccessCheck } from '../queries/access-checks.ts';
import {
  type EndingConnection,
  endConnection,
  lockConnection,
  revokeReversibly,
} from '../queries/end-connection.ts';
import { lockUser } from '../queries/lock-user.ts';
import { closeEndings } from '../queries/revoke-connection.ts';

/** A provider's report that the user ended our access to an account. */
export interface ReportedEnding {
  readonly connection_id: string;
  readonly user_id: string;
  readonly authenticated: boolean;
  readonly received_ms: number;
}

/** The outcome of a report. */
export interface Ended {
  readonly outcome: 'revoked' | 'checked_first' | 'outdated' | 'gone';
}

interface Ending {
  readonly database: Database;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

/**
 * Ends a connection as its provider reported. If the report is not authenticated, the tokens are kept until a read at
 * the provider confirms it. A connection without a token cannot be checked and ends for good. No token is revoked.
 */
export function endByEvent(ending: Ending, report: ReportedEnding): Promise<Ended> {
  return ending.database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, report.user_id))) return gone;
    const connection = await lockConnection(transaction, report.connection_id);
    if (connection === undefined || connection.status !== 'active') return gone;
    const { accessCheck } = providers[connection.provider];
    if (report.authenticated || !connection.has_token || accessCheck === null)
      return endForGood(transaction, ending, report, connection);
    const limit = accessCheck.readsPerHour(ending.config);
    return endReversibly(transaction, ending, report, { ...connection, limit });
  });
}

const gone: Ended = { outcome: 'gone' };

async function endForGood(
  transaction: Queryable,
  ending: Ending,
  report: ReportedEnding,
  connection: EndingConnection,
): Promise<Ended> {
  await endConnection(transaction, connection.id, { status: 'revoked', reason: null });
  await closeEndings(transaction, [connection.id]);
  await noteRevoked(transaction, ending, report, connection);
  return { outcome: 'revoked' };
}

async function endReversibly(
  transaction: Queryable,
  ending: Ending,
  report: ReportedEnding,
  connection: EndingConnection & { readonly limit: number },
): Promise<Ended> {
  const { id: connectionId, provider, limit } = connection;
  const check = await lockAccessCheck(transaction, connectionId);
  if ((check?.confirmed_at?.getTime() ?? 0) > report.received_ms) return { outcome: 'outdated' };
  const isRead = (check?.has_reads ?? true) && (await hasRoom(transaction, provider, limit));
  const change = isRead ? 'applied' : 'wanted';
  await openAccessCheck(transaction, { connectionId, provider, change });
  if (change === 'wanted') return { outcome: 'checked_first' };
  await revokeReversibly(transaction, connectionId);
  await noteRevoked(transaction, ending, report, connection);
  return { outcome: 'revoked' };
}

function noteRevoked(
  transaction: Queryable,
  { origin }: Ending,
  { user_id, authenticated }: ReportedEnding,
  { id, provider, has_token }: EndingConnection,
): Promise<void> {
  return recordAudit(
    transaction,
    { actor: `webhook:${provider}`, requestId: origin.requestId },
    {
      action: 'connection.revoked',
      userId: user_id,
      subjectId: id,
      details: { provider, cause: 'event', authenticated, confirmed: authenticated || !has_token },
    },
  );
}
