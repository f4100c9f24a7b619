import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Rows per statement. Each row has a large body, and a long transaction would delay the vacuum. */
export const expiredPerStatement = 500;

// Dead letters are kept four times as long, so that an operator can inspect them.
const statement: Statement = {
  name: 'deliveries.delete_expired',
  text: `
    delete from deliveries.delivery where id in (
      select id from deliveries.delivery
      where done_at < now() - $1 * interval '1 day'
        and (state = 'done' or done_at < now() - $1 * interval '4 days')
      order by done_at limit $2 for update skip locked)
    returning id`,
};

/** Deletes a batch of deliveries that were done more than `days` ago, or dead four times as long; returns their number. */
export async function deleteExpired(
  database: Queryable,
  days: number,
  most = expiredPerStatement,
): Promise<number> {
  return (await database.query(statement, [days, most])).length;
}
