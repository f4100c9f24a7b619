import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';

const size = 1000;
const attempts = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
const sessions = `
delete from connect.session where id = any(array(
  select id from connect.session where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
/** 100,000 rows per run: more than the rate limit of a credential allows to create in that time. */
const most = 100;

/** Deletes states and sessions that expired more than a day ago, in bounded statements. Returns their number. */
export async function deleteExpired(database: Queryable, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const statement of [attempts, sessions]) {
    const deleteBatch = async () => (await database.query(statement)).length;
    deleted += await deleteInBatches(deleteBatch, { size, most, signal });
  }
  return deleted;
}
