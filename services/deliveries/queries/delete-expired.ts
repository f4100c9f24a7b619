import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** Rows per statement. Each row has a large body, and a long transaction would delay the vacuum. */
export const expiredPerStatement = 500;

const statement: Statement = {
  name: 'deliveries.delete_expired',
  text: `
    delete from deliveries.delivery where id in (
      select id from deliveries.delivery
      where done_at < now() - least($1::int, $2::int) * interval '1 day'
        and done_at < now() - case when state = 'done' then $1::int else $2::int end * interval '1 day'
      order by done_at limit $3 for update skip locked)
    returning id`,
};

/** For how many days processed deliveries and dead letters are kept. */
export interface KeptDays {
  readonly done: number;
  readonly dead: number;
}

/** Deletes a batch of deliveries that were processed or given up longer ago; returns their number. */
export async function deleteExpired(
  database: Queryable,
  { done, dead }: KeptDays,
  most = expiredPerStatement,
): Promise<number> {
  return (await database.query(statement, [done, dead, most])).length;
}
