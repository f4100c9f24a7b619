import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Rows a statement: each drags its stored body along, and a long transaction would hold up the vacuum. */
export const expiredPerStatement = 500;

// Dead letters wait four times as long: somebody has to look at them first.
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

/** Deletes some of what was done more than `days` ago, or given up four times as long ago; tells how many. */
export async function deleteExpired(
  database: Queryable,
  days: number,
  most = expiredPerStatement,
): Promise<number> {
  return (await database.query(statement, [days, most])).length;
}
