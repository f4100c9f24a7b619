import type { Queryable } from '../../../mixins/database/database.ts';

const receipt = `insert into phone.receipt (delivery_id, user_id) values ($1, $2) on conflict do nothing returning 1`;
const counted = `
insert into phone.unmapped as held (user_id, type, items)
select $1, key, value::bigint from jsonb_each_text($2) order by key
on conflict (user_id, type) do update set items = held.items + excluded.items`;

/** Adds the items of a delivery that have no series. A repeated delivery counts nothing. */
export async function countUnmapped(
  transaction: Queryable,
  deliveryId: string,
  userId: string,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  if (Object.keys(counts).length === 0) return;
  if ((await transaction.query(receipt, [deliveryId, userId])).length === 0) return;
  await transaction.query(counted, [userId, JSON.stringify(counts)]);
}
