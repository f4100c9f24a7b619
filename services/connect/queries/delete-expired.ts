import type { Queryable } from '../../../mixins/database.ts';

const most = 1000;
const statement = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit ${most}))
returning 1`;
/** 100,000 a round: more than a credential's window lets anybody make in that time. */
const mostStatements = 100;

/** Forgets states that ended a day ago, in bounded statements. */
export async function deleteExpired(database: Queryable): Promise<void> {
  for (let statements = 0; statements < mostStatements; statements += 1)
    if ((await database.query(statement)).length < most) return;
}
