import type { Queryable } from '../../../mixins/database.ts';

const statement = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit 1000))`;

/** Forgets states that ended a day ago, some at a time. */
export async function deleteExpired(database: Queryable): Promise<void> {
  await database.query(statement);
}
