import { z } from 'zod';
import type { AuditEntry } from '../../contracts/auth.ts';
import { decodeCursor } from '../../domain/cursor.ts';
import { type Page, pageFrom } from '../../domain/page.ts';
import { formatInstant } from '../../domain/time.ts';
import type { Queryable } from '../../mixins/database.ts';
import { type AuditRow, countAudit, selectAudit } from './queries/select-audit.ts';

const Key = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** One page of the audit trail, newest first. @throws CURSOR_INVALID (422) */
export async function readAudit(
  database: Queryable,
  request: {
    readonly user_id?: string | undefined;
    readonly cursor?: string | undefined;
    readonly limit: number;
  },
  nowMs: number,
): Promise<Page<AuditEntry>> {
  const { limit } = request;
  const userId = request.user_id ?? null;
  const query = ['audit', userId];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, Key);
  const [rows, totalCount] = await Promise.all([
    selectAudit(database, userId, cursor, limit + 1),
    countAudit(database, userId),
  ]);
  const range = { startMs: 0, endMs: nowMs };
  const direction = cursor?.direction ?? null;
  const keyOf = (row: AuditRow) => [row.id];
  return pageFrom({ query, range, resolution: null, limit, direction, rows, totalCount, keyOf, toWire });
}

function toWire({ at, ...row }: AuditRow): AuditEntry {
  return {
    at: formatInstant(at.getTime()),
    actor: row.actor,
    action: row.action,
    subject_id: row.subject_id,
    subject_name: row.subject_name,
    user_id: row.user_id,
  };
}
