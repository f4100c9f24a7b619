import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';

const size = 1000;
const most = 100;
const codes = `
delete from phone.invitation_code where hash = any(array(
  select hash from phone.invitation_code where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
/** A delivery is kept, and may be replayed, for fewer days than its receipt. */
const receipts = `
delete from phone.receipt where delivery_id = any(array(
  select delivery_id from phone.receipt where created_at < now() - make_interval(days => $1) order by created_at
  limit ${size}))
returning 1`;

/** Deletes codes that expired more than a day ago, and receipts of deliveries that are not kept. */
export async function deleteExpired(
  database: Queryable,
  keptDays: number,
  signal: AbortSignal,
): Promise<void> {
  await deleteInBatches(async () => (await database.query(codes)).length, { size, most, signal });
  await deleteInBatches(async () => (await database.query(receipts, [keptDays])).length, {
    size,
    most,
    signal,
  });
}
