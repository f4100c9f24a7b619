import type { Queryable } from '../../../mixins/database.ts';

const most = 1000;
const statement = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit ${most}))
returning 1`;
/** 100,000 rows per round: more than the rate limit of a credential allows to create in that time. */
const mostStatements = 100;

/** Deletes states that expired more than a day ago, in bounded statements. */
export async function deleteExpired(database: Queryable): Promise<void> {
  for (let statements = 0; statements < mostStatements; statements += 1)
    if ((await database.query(statement)).length < most) return;
}
