import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** Privacy settings that a user changed at the provider, by name, with the time of the change. */
export interface PrivacyChange {
  readonly connection_id: string;
  readonly privacy: Readonly<Record<string, string>>;
  readonly changed_ms: number;
}

const statement = `
update users.connection
set privacy = coalesce(privacy, '{}') || $2::jsonb, updated_at = clock_timestamp(),
  privacy_changed_at = to_timestamp($3::float8 / 1000)
where id = $1 and status = 'active'
  and (privacy_changed_at is null or privacy_changed_at <= to_timestamp($3::float8 / 1000))
returning id, user_id`;

/** Adds privacy settings to an active connection, unless a newer change is stored. */
export function updatePrivacy(
  database: Database,
  origin: AuditOrigin,
  change: PrivacyChange,
): Promise<boolean> {
  const values = [change.connection_id, JSON.stringify(change.privacy), change.changed_ms];
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ id: string; user_id: string }>(statement, values);
    if (row === undefined) return false;
    const entry = { userId: row.user_id, subjectId: row.id, details: { fields: ['privacy'] } };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.changed' });
    return true;
  });
}
