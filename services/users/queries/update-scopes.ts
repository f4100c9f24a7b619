import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Statement } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** The scope that a user grants from an instant on. */
export interface ScopeChange {
  readonly connection_id: string;
  readonly scope: readonly string[];
  readonly changed_ms: number;
}

// Of several changes of one connection the newest is applied; of changes with equal times, the last in the list. The rows
// are locked in one order, as in touch-connections.
const statement: Statement = {
  name: 'users.update_scopes',
  text: `
with told as (
  select distinct on (connection_id) connection_id, scope,
    timestamptz 'epoch' + changed_ms * interval '1 ms' as changed_at
  from jsonb_to_recordset($1::jsonb) as t (connection_id uuid, scope text[], changed_ms float8, position int)
  order by connection_id, changed_ms desc, position desc
), held as (
  select id from users.connection where id in (select connection_id from told) order by id for no key update
)
update users.connection c
set scope = told.scope, scope_changed_at = told.changed_at, updated_at = clock_timestamp()
from told, held
where c.id = held.id and c.id = told.connection_id and c.status = 'active' and (
  c.scope_changed_at is null or c.scope_changed_at < told.changed_at
  or (c.scope_changed_at = told.changed_at and c.scope <> told.scope))
returning c.id, c.user_id`,
};

/** Sets the scopes of active connections unless a newer change is stored; returns the number of changed rows. */
export function updateScopes(
  database: Database,
  origin: AuditOrigin,
  changes: readonly ScopeChange[],
): Promise<number> {
  const rows = changes.map((change, position) => ({ ...change, position }));
  return database.transaction(async (transaction) => {
    const changed = await transaction.query<{ id: string; user_id: string }>(statement, [
      JSON.stringify(rows),
    ]);
    for (const { id, user_id } of changed) {
      const entry = { userId: user_id, subjectId: id, details: { fields: ['scope'] } };
      await recordAudit(transaction, origin, { ...entry, action: 'connection.changed' });
    }
    return changed.length;
  });
}
