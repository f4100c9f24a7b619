import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** An entry of the audit trail; times as they are. */
export interface AuditRow {
  id: string;
  at: Date;
  actor: string | null;
  action: string;
  subject_id: string | null;
  subject_name: string | null;
  user_id: string | null;
  request_id: string | null;
  details: Record<string, unknown> | null;
}

/** The filters of audit entries; null matches any. */
interface AuditFilter {
  readonly project: string;
  readonly userId: string | null;
  readonly actor: string | null;
  readonly action: string | null;
  readonly start: Date | null;
  readonly end: Date | null;
}

// Not a named statement: the plan depends on which filters are set, and the planner drops those that are null.
const filtered = `from auth.audit_entry where project_id = $6 and ($1::uuid is null or user_id = $1) and ($2::text is null or actor = $2)
  and ($3::text is null or action = $3) and ($4::timestamptz is null or at >= $4)
  and ($5::timestamptz is null or at < $5)`;
const valuesOf = ({ project, userId, actor, action, start, end }: AuditFilter) => [
  userId,
  actor,
  action,
  start,
  end,
  project,
];

/** At most `most` entries in the order in which they are read: newest first, backward oldest first. */
export function selectAudit(
  database: Queryable,
  filter: AuditFilter,
  cursor: Cursor<readonly [string]> | null,
  most: number,
): Promise<AuditRow[]> {
  const backward = cursor?.direction === 'previous';
  const text = `
    select id::text, at, actor, action, subject_id, subject_name, user_id, request_id, details ${filtered}
      and ($7::bigint is null or id ${backward ? '>' : '<'} $7)
    order by audit_entry.id ${backward ? 'asc' : 'desc'} limit $8`;
  return database.query<AuditRow>(text, [...valuesOf(filter), cursor?.key[0] ?? null, most]);
}

/** The number of entries. */
export async function countAudit(database: Queryable, filter: AuditFilter): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n ${filtered}`,
    valuesOf(filter),
  );
  return row?.n ?? 0;
}
