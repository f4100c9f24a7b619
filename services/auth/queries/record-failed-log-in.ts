import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** A failed log-in; `developerId` is null if there is no such account, `range` if ranges are no longer told apart. */
export interface FailedLogIn {
  readonly developerId: string | null;
  readonly address: string;
  readonly range: string | null;
}

const rollup = `md5(concat_ws('|', $1::uuid, coalesce($2, '*'), date_trunc('hour', now())))::uuid`;
const seen = `jsonb_build_object('address', $3::text, 'last_at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`;

const update = `
update auth.audit_entry
set details = details || ${seen} || jsonb_build_object('failures', (details ->> 'failures')::int + 1)
where rollup = ${rollup} returning 1`;

const insert = `
insert into auth.audit_entry as held (actor, request_id, action, subject_id, details, rollup)
values ($4, $5, 'developer.log_in_failed', $1, ${seen} || jsonb_build_object('address_range', $2::text, 'failures', 1), ${rollup})
on conflict (rollup) where rollup is not null do update
set details = held.details || ${seen} || jsonb_build_object('failures', (held.details ->> 'failures')::int + 1)`;

/** Counts a failed log-in in the entry of its account, range and hour; false if there is none yet. */
export async function countFailedLogIn(
  database: Queryable,
  { developerId, range, address }: FailedLogIn,
): Promise<boolean> {
  return (await database.query(update, [developerId, range, address])).length > 0;
}

/** As `countFailedLogIn`, and inserts the entry if there is none. */
export async function recordFailedLogIn(
  database: Queryable,
  { actor, requestId }: AuditOrigin,
  { developerId, range, address }: FailedLogIn,
): Promise<void> {
  await database.query(insert, [developerId, range, address, actor, requestId]);
}
