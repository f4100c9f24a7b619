import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable, Statement } from '../../../mixins/database/database.ts';
import type { BodyKeys } from '../../../mixins/inbox/sealed-bodies.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { refuseUnreadable } from '../content.ts';
import { unseal } from '../sealing.ts';
import { type DeliveryRow, deliveryColumns } from './select-deliveries.ts';

/** The number of additional attempts of a replayed delivery. */
const moreAttempts = 16;

// The count of attempts is not reset: it fences off a worker whose lease has expired. A leased delivery is not replayed,
// including one that is leased to the call that has just stored it (attempt 1, no failure yet).
const statement: Statement = {
  name: 'deliveries.replay',
  text: `
    update deliveries.delivery
    set state = 'ready', run_at = now(), replayed_at = now(), done_at = null, error = null,
      max_attempts = attempts + $2
    where id = $1 and erased_at is null and (state in ('done', 'dead') or (state = 'ready' and (error is not null or run_at <= now())))
    returning ${deliveryColumns}`,
};

interface ReplayDeps {
  readonly database: Database;
  readonly origin: AuditOrigin;
  readonly config: BodyKeys;
}

/** Makes a delivery due again, with its body decrypted; undefined if it is unknown, erased or being processed. */
export function replayDelivery(
  { database, origin, config }: ReplayDeps,
  id: string,
): Promise<DeliveryRow | undefined> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<DeliveryRow>(statement, [id, moreAttempts]);
    if (row === undefined) return undefined;
    if (row.is_sealed) await unseal(transaction, config, id).catch(refuseUnreadable);
    const entry = { subjectId: id, details: { provider: row.provider, kind: row.kind } };
    await recordAudit(transaction, origin, { ...entry, action: 'delivery.replayed' });
    return row;
  });
}

const selected: Statement = {
  name: 'deliveries.is_erased',
  text: 'select erased_at is not null as erased from deliveries.delivery where id = $1',
};

/** Whether the content of a delivery was erased; undefined if there is no such delivery. */
export async function isErased(database: Queryable, id: string): Promise<boolean | undefined> {
  const [row] = await database.query<{ erased: boolean }>(selected, [id]);
  return row?.erased;
}
