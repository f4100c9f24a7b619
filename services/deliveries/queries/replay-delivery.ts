import { recordAudit } from '../../../mixins/audit.ts';
import type { Database, Queryable, Statement } from '../../../mixins/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { type DeliveryRow, deliveryColumns } from './select-deliveries.ts';

/** Attempts that a replayed delivery gets, beside those that it had. */
const moreAttempts = 16;

// The count of attempts goes on: it is the fence against a worker that still believes it holds the delivery. One that
// is leased, be it to the call that has just stored it (attempt 1, no failure yet), is left alone.
const statement: Statement = {
  name: 'deliveries.replay',
  text: `
    update deliveries.delivery
    set state = 'ready', run_at = now(), replayed_at = now(), done_at = null, error = null,
      max_attempts = attempts + $2
    where id = $1 and erased_at is null and (state in ('done', 'dead') or (state = 'ready' and (error is not null or run_at <= now())))
    returning ${deliveryColumns}`,
};

/** Makes a delivery due again; undefined when it is unknown or in work. */
export function replayDelivery(
  database: Database,
  origin: AuditOrigin,
  id: string,
): Promise<DeliveryRow | undefined> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<DeliveryRow>(statement, [id, moreAttempts]);
    if (row === undefined) return undefined;
    const entry = { subjectId: id, details: { provider: row.provider, kind: row.kind } };
    await recordAudit(transaction, origin, { ...entry, action: 'delivery.replayed' });
    return row;
  });
}

const selected: Statement = {
  name: 'deliveries.is_erased',
  text: 'select erased_at is not null as erased from deliveries.delivery where id = $1',
};

/** Whether what a delivery brought was erased; undefined when there is no such delivery. */
export async function isErased(database: Queryable, id: string): Promise<boolean | undefined> {
  const [row] = await database.query<{ erased: boolean }>(selected, [id]);
  return row?.erased;
}
