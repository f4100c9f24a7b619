import { z } from 'zod';
import type { DataAccess } from '../../../contracts/auth/accesses.ts';
import type { AuditEntry } from '../../../contracts/auth/schemas.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import { resolveOpenRange } from '../../../domain/time/open-range.ts';
import { formatInstant, hourMs, type Range } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { awaitLateWrites, lockLateWrites } from '../../../mixins/database/forgotten-users.ts';
import {
  type AccessKey,
  type AccessRow,
  addReads,
  claimBatch,
  countAccesses,
  deleteAccesses,
  selectAccesses,
} from '../tables/accesses.ts';
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

const AccessPosition: z.ZodType<AccessKey> = z.tuple([z.int(), z.string(), z.string()]);

/** The user, the range and the page of a request for reads. */
type AccessQuery = ParamsOf<typeof auth, 'accesses'>;

/** One page of who read data of a user, newest first. @throws RANGE_INVALID, CURSOR_INVALID (422) */
export async function readAccesses(
  database: Queryable,
  request: AccessQuery,
  nowMs: number,
): Promise<Page<DataAccess>> {
  const { limit, start_time, end_time } = request;
  const range = resolveOpenRange(request, nowMs);
  // Without `end_time` the current hour is included.
  const filter = {
    userId: request.user_id,
    start: start_time === undefined ? null : new Date(range.startMs - (range.startMs % hourMs)),
    end: end_time === undefined ? null : new Date(range.endMs),
  };
  const query = ['accesses', filter];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, AccessPosition);
  const [rows, totalCount] = await Promise.all([
    selectAccesses(database, filter, cursor, limit + 1),
    countAccesses(database, filter),
  ]);
  const direction = cursor?.direction ?? null;
  const keyOf = ({ hour, kind, actor }: AccessRow) => [hour.getTime(), kind, actor];
  return pageFrom({
    query,
    range,
    resolution: null,
    limit,
    direction,
    rows,
    totalCount,
    keyOf,
    toWire: toAccess,
  });
}

function toAccess({ hour, actor, kind, count }: AccessRow): DataAccess {
  return { hour: formatInstant(hour.getTime()), actor, data_kind: kind, count };
}

/** Reads that a process counted; `sequence` numbers its batches. */
type AccessBatch = ParamsOf<typeof auth, 'noteAccesses'>;

/** Adds a batch of reads, once: false if it was added before. */
export function noteAccesses(
  database: Database,
  { process_id, sequence, reads }: AccessBatch,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await claimBatch(transaction, process_id, sequence))) return false;
    await lockLateWrites(transaction, 'accesses');
    await addReads(transaction, reads);
    return true;
  });
}

/**
 * Deletes the reads of a user who is deleted. A gateway may still hold some: whoever wrote before is awaited, and who writes
 * later leaves out a deleted user.
 */
export async function forgetAccesses(database: Queryable, userId: string): Promise<void> {
  await awaitLateWrites(database, 'accesses');
  await deleteAccesses(database, userId);
}
