import { z } from 'zod';
import type { AuditEntry } from '../../../contracts/auth/schemas.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import { resolveOpenRange } from '../../../domain/time/open-range.ts';
import { formatInstant, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type AuditRow, countAudit, selectAudit } from '../tables/audit.ts';

const AuditPosition = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** The filters and the page of a request for audit entries. */
type AuditQuery = ParamsOf<typeof auth, 'audit'>;

/** One page of the audit trail, newest first. @throws RANGE_INVALID, CURSOR_INVALID (422) */
export async function readAudit(
  database: Queryable,
  project: string,
  request: AuditQuery,
  nowMs: number,
): Promise<Page<AuditEntry>> {
  const { limit } = request;
  const range = resolveOpenRange(request, nowMs);
  const filter = { project, ...filterOf(request, range) };
  const query = ['audit', filter];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, AuditPosition);
  const [rows, totalCount] = await Promise.all([
    selectAudit(database, filter, cursor, limit + 1),
    countAudit(database, filter),
  ]);
  const direction = cursor?.direction ?? null;
  const keyOf = (row: AuditRow) => [row.id];
  return pageFrom({ query, range, resolution: null, limit, direction, rows, totalCount, keyOf, toWire });
}

// Without `end_time` the range has no end, so that entries written during the request are included.
function filterOf({ user_id, actor, action, start_time, end_time }: AuditQuery, range: Range) {
  return {
    userId: user_id ?? null,
    actor: actor ?? null,
    action: action ?? null,
    start: start_time === undefined ? null : new Date(range.startMs),
    end: end_time === undefined ? null : new Date(range.endMs),
  };
}

function toWire({ at, ...row }: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: formatInstant(at.getTime()),
    actor: row.actor,
    action: row.action,
    subject_id: row.subject_id,
    subject_name: row.subject_name,
    user_id: row.user_id,
    request_id: row.request_id,
    details: row.details,
  };
}
