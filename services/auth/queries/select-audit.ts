import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable } from '../../../mixins/database.ts';

/** An entry of the audit trail; times as they are. */
export interface AuditRow {
  id: string;
  at: Date;
  actor: string | null;
  action: string;
  subject_id: string;
  subject_name: string | null;
  user_id: string | null;
}

const of = 'from auth.audit_entry where ($1::uuid is null or user_id = $1)';

/** At most `most` entries in the order in which they are read: newest first, backward oldest first. */
export function selectAudit(
  database: Queryable,
  userId: string | null,
  cursor: Cursor<readonly [string]> | null,
  most: number,
): Promise<AuditRow[]> {
  const backward = cursor?.direction === 'previous';
  const text = `
    select id::text, at, actor, action, subject_id, subject_name, user_id ${of}
      and ($2::bigint is null or id ${backward ? '>' : '<'} $2)
    order by audit_entry.id ${backward ? 'asc' : 'desc'} limit $3`;
  return database.query<AuditRow>(text, [userId, cursor?.key[0] ?? null, most]);
}

/** The number of entries. */
export async function countAudit(database: Queryable, userId: string | null): Promise<number> {
  const [row] = await database.query<{ n: number }>(`select count(*)::int as n ${of}`, [userId]);
  return row?.n ?? 0;
}
