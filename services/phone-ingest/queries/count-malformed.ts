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
