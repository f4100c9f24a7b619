import type { Queryable } from '../../../mixins/database.ts';
import { deleteInBatches } from '../../../mixins/delete-in-batches.ts';

const size = 1000;
const statement = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
/** 100,000 rows per run: more than the rate limit of a credential allows to create in that time. */
const most = 100;

/** Deletes states that expired more than a day ago, in bounded statements. Returns their number. */
export function deleteExpired(database: Queryable, signal?: AbortSignal): Promise<number> {
  const deleteBatch = async () => (await database.query(statement)).length;
  return deleteInBatches(deleteBatch, { size, most, signal });
}
