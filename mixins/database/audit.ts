import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { AuditAction } from '../../domain/audit.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Queryable } from './database.ts';

/** Ids, field names and counts. Never a health value, an e-mail address, a name, or free text. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** The action, the user whose data it concerns, and the changed object. */
export interface NewAuditEntry {
  readonly action: AuditAction;
  readonly userId?: string | null;
  /** The id of the changed row. Defaults to the user's id. */
  readonly subjectId?: string | null;
  readonly details?: AuditDetails;
}

/**
 * Writes an audit entry. Call it within the transaction of the change, so that a change and its entry are committed
 * together, or before the first byte of an answer that exports data. It needs the database only and not the auth
 * service: `await recordAudit(transaction, ctx.origin, { action: 'user.updated', userId })`.
 */
export async function recordAudit(on: Queryable, origin: AuditOrigin, entry: NewAuditEntry): Promise<void> {
  await on.query('select auth.record_audit($1, $2, $3, $4, $5, $6, $7)', valuesOf(origin, entry));
}

const recorded = `
select auth.record_audit($1, $2, e.action, e.user_id, e.subject_id, e.details, $3)
from jsonb_to_recordset($4::jsonb) as e (action text, user_id uuid, subject_id uuid, details jsonb)`;

/** As `recordAudit`, for several entries in one statement. */
export async function recordAudits(
  on: Queryable,
  { actor, requestId, projectId }: AuditOrigin,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ action, userId = null, subjectId = userId, details = null }) => ({
    action,
    user_id: userId,
    subject_id: subjectId,
    details,
  }));
  await on.query(recorded, [actor, requestId, projectId ?? null, JSON.stringify(rows)]);
}

/** As `recordAudit`, within a MikroORM transaction. */
export async function recordAuditInOrm(
  em: SqlEntityManager<PostgreSqlDriver>,
  origin: AuditOrigin,
  entry: NewAuditEntry,
): Promise<void> {
  await em.execute('select auth.record_audit(?, ?, ?, ?, ?, ?, ?)', valuesOf(origin, entry));
}

function valuesOf({ actor, requestId, projectId }: AuditOrigin, entry: NewAuditEntry): (string | null)[] {
  const { action, userId = null, subjectId = userId } = entry;
  const details = entry.details === undefined ? null : JSON.stringify(entry.details);
  return [actor, requestId, action, userId, subjectId, details, projectId ?? null];
}
