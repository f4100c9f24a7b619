import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';

/** Rows per statement, and statements per table and run. The next run deletes the rest. */
const size = 1000;
const most = 50;

// Locked rows are skipped: they are in use, so not expired.
const expired = (table: string, key: string, condition: string) => `
delete from auth.${table} as expired using (
  select ${key} from auth.${table} where ${condition} limit ${size} for update skip locked
) old where (${columns('expired', key)}) = (${columns('old', key)}) returning 1`;

const columns = (table: string, key: string) =>
  key
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');

const old = (days: number) =>
  days === 0
    ? []
    : [
        expired('audit_entry', 'id', `at < now() - interval '${days} days'`),
        expired('access', 'user_id, hour, kind, actor', `hour < now() - interval '${days} days'`),
        expired('access_total', 'project_id, day, actor, kind', `day < now() - interval '${days} days'`),
      ];

const statements = (auditDays: number) => [
  ...old(auditDays),
  expired('family', 'id', 'expires_at < now()'),
  expired('sign_in_link', 'hash', 'expires_at < now()'),
  expired('invitation', 'id', 'expires_at < now()'),
  expired('reset_link', 'hash', 'expires_at < now()'),
  expired('passkey_challenge', 'hash', 'expires_at < now()'),
  expired('totp', 'developer_id', "confirmed_at is null and created_at < now() - interval '1 hour'"),
  // A consumed token that is presented after 60 days is unknown: 401, as for an expired one.
  expired('refresh_token', 'hash', "consumed_at is not null and created_at < now() - interval '60 days'"),
  expired('rate_window', 'subject', "started_at < now() - interval '2 minutes'"),
  expired('attempt_window', 'subject', "started_at < now() - interval '2 hours'"),
  // A batch is repeated within seconds.
  expired('access_writer', 'process_id', "written_at < now() - interval '1 day'"),
  // A link to the connect page works for 30 minutes.
  expired('connect_logo', 'project_id, name', "replaced_at < now() - interval '1 hour'"),
  expired('known_log_in', 'developer_id, address_hash', "last_at < now() - interval '60 days'"),
];

/**
 * Deletes expired families, refresh tokens, links and windows, and audit entries and counts of reads older than `auditDays` (0
 * keeps them), within bounds; returns how many rows went.
 */
export async function deleteExpired(
  database: Queryable,
  auditDays = 0,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const statement of statements(auditDays)) {
    const deleteBatch = async () => (await database.query(statement)).length;
    deleted += await deleteInBatches(deleteBatch, { size, most, signal });
  }
  return deleted;
}
