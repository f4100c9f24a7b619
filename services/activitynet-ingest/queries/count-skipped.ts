import type { Queryable, Statement } from '../../../mixins/database/database.ts';

const statement: Statement = {
  name: 'activitynet.count_skipped',
  text: `
    insert into activitynet.skipped as s (date, reason, n) values ((now() at time zone 'UTC')::date, $1, 1)
    on conflict (date, reason) do update set n = s.n + 1`,
};

/** Counts a skipped event by its reason. */
export async function countSkipped(database: Queryable, reason: string): Promise<void> {
  await database.query(statement, [reason]);
}
