import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { AuditAction } from '../domain/audit.ts';
import type { AuditOrigin } from '../runtime/audit-origin.ts';
import type { Queryable } from './database.ts';

/** Ids, names of fields and counts. Never a health value, an e-mail address, a name, or text that somebody typed. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** What was done, whose data it concerns, and what it was done to. */
export interface NewAuditEntry {
  readonly action: AuditAction;
  readonly userId?: string | null;
  /** The id of the row that was changed; the user's own where it is left out. */
  readonly subjectId?: string | null;
  readonly details?: AuditDetails;
}

/**
 * Writes an audit entry. Within the transaction of the change, so that there is neither a change without an entry
 * nor an entry without a change; before the first byte of an answer where data leaves. It needs the database only,
 * not the service auth: `await recordAudit(transaction, ctx.origin, { action: 'user.updated', userId })`.
 */
export async function recordAudit(on: Queryable, origin: AuditOrigin, entry: NewAuditEntry): Promise<void> {
  await on.query('select auth.record_audit($1, $2, $3, $4, $5, $6)', valuesOf(origin, entry));
}

/** The same within a transaction of MikroORM. */
export async function recordAuditInOrm(
  em: SqlEntityManager<PostgreSqlDriver>,
  origin: AuditOrigin,
  entry: NewAuditEntry,
): Promise<void> {
  await em.execute('select auth.record_audit(?, ?, ?, ?, ?, ?)', valuesOf(origin, entry));
}

function valuesOf({ actor, requestId }: AuditOrigin, entry: NewAuditEntry): (string | null)[] {
  const { action, userId = null, subjectId = userId } = entry;
  const details = entry.details === undefined ? null : JSON.stringify(entry.details);
  return [actor, requestId, action, userId, subjectId, details];
}
