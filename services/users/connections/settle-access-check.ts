import type { AccessAnswer } from '../../../contracts/access-check.ts';
import type { AuditAction } from '../../../domain/audit.ts';
import { type AuditDetails, recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import {
  type AccessCheckRow,
  type AccessLease,
  closeAccessCheck,
  lockAccessCheck,
  postponeAccessCheck,
} from '../queries/access-checks.ts';
import { endConnection, lockConnection, restoreConnection, setScope } from '../queries/end-connection.ts';
import { lockUser } from '../queries/lock-user.ts';
import { closeEndings } from '../queries/revoke-connection.ts';

/** The answer to the read of a check. */
export interface AnsweredCheck {
  readonly lease: AccessLease;
  readonly provider: ProviderName;
  readonly answer: AccessAnswer;
}

/** The outcome for a connection. `lost`: another process holds the check, or the connection has changed. */
export type Settled = 'ended' | 'restored' | 'confirmed' | 'postponed' | 'lost';

/** Applies a provider's answer about a connection, in one transaction that is fenced by the attempt of the claim. */
export function settleAccessCheck(database: Database, answered: AnsweredCheck): Promise<Settled> {
  const { connection_id, user_id, attempt } = answered.lease;
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, user_id))) return 'lost';
    const connection = await lockConnection(transaction, connection_id);
    const check = await lockAccessCheck(transaction, connection_id);
    if (connection === undefined || check === undefined || check.attempt !== attempt) return 'lost';
    const isOpen = connection.status === 'active' || check.ending === 'applied';
    if (!isOpen) return abandon(transaction, connection_id);
    return settle(transaction, answered, check);
  });
}

function settle(transaction: Queryable, answered: AnsweredCheck, check: AccessCheckRow): Promise<Settled> {
  const { access } = answered.answer;
  if (access === 'granted') return settleGranted(transaction, answered, check);
  if (access === 'ended') return settleEnded(transaction, answered, check, true);
  if (access === 'unknown' && !check.is_old) return postpone(transaction, answered, check);
  // The provider gave no answer: a report that was applied becomes final, and one that was not applied is dropped.
  if (check.ending === 'applied') return settleEnded(transaction, answered, check, false);
  return abandon(transaction, answered.lease.connection_id);
}

async function settleGranted(
  transaction: Queryable,
  { lease: { connection_id, user_id }, provider, answer }: AnsweredCheck,
  check: AccessCheckRow,
): Promise<Settled> {
  const restoring = check.ending === 'applied';
  await closeAccessCheck(transaction, connection_id, { confirmed: 'read', restoring });
  const note = noteOf(transaction, { connection_id, user_id, provider });
  if (restoring) {
    await restoreConnection(transaction, connection_id);
    await note('connection.restored', { cause: 'provider_read' });
  }
  if (answer.scope !== null) {
    const readAt = check.read_at;
    const isChanged = await setScope(transaction, connection_id, { scope: answer.scope, readAt });
    if (isChanged) await note('connection.changed', { cause: 'provider_read', fields: ['scope'] });
  }
  return restoring ? 'restored' : 'confirmed';
}

async function settleEnded(
  transaction: Queryable,
  { lease: { connection_id, user_id }, provider }: AnsweredCheck,
  { ending }: AccessCheckRow,
  confirmed: boolean,
): Promise<Settled> {
  const isReported = ending === 'applied' || ending === 'wanted';
  const end = isReported
    ? ({ status: 'revoked', reason: null } as const)
    : ({ status: 'expired', reason: 'TOKEN_REFUSED' } as const);
  await endConnection(transaction, connection_id, end);
  await closeEndings(transaction, [connection_id]);
  const note = noteOf(transaction, { connection_id, user_id, provider });
  await note(isReported ? 'connection.revoked' : 'connection.expired', { cause: 'provider_read', confirmed });
  return 'ended';
}

async function abandon(transaction: Queryable, connectionId: string): Promise<Settled> {
  await closeAccessCheck(transaction, connectionId, { confirmed: null, restoring: false });
  return 'lost';
}

const firstDelayMs = 30_000;
const longestDelayMs = 6 * 3_600_000;

async function postpone(
  transaction: Queryable,
  { lease }: AnsweredCheck,
  { failures }: AccessCheckRow,
): Promise<Settled> {
  const longest = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures, 20));
  await postponeAccessCheck(transaction, lease.connection_id, longest * (0.5 + Math.random() / 2));
  return 'postponed';
}

interface Subject {
  readonly connection_id: string;
  readonly user_id: string;
  readonly provider: ProviderName;
}

function noteOf(transaction: Queryable, { connection_id, user_id, provider }: Subject) {
  return (action: AuditAction, details: AuditDetails) =>
    recordAudit(transaction, systemOrigin('users'), {
      action,
      userId: user_id,
      subjectId: connection_id,
      details: { provider, ...details },
    });
}
