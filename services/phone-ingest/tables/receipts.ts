import type { Queryable } from '../../../mixins/database/database.ts';
import { userSender } from '../../../mixins/inbox/delivery.ts';

const text = `
select count(*)::int as n from deliveries.delivery
where sender = $1 and state = 'dead' and error = 'MALFORMED_BODY' and received_at > now() - interval '1 day'`;

/** The number of a user's uploads of the last day that were refused as no JSON. */
export async function countMalformed(database: Queryable, userId: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(text, [userSender(userId)]);
  return row?.n ?? 0;
}

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
