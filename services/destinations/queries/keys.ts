import type { Queryable } from '../../../mixins/database/database.ts';
import { lockDestinations } from './destinations.ts';

/** Stores that keys were deleted; false if that was known. No destination is created or changed by them afterwards. */
export async function insertDeletedKeys(transaction: Queryable, keyIds: readonly string[]): Promise<boolean> {
  await lockDestinations(transaction);
  const rows = await transaction.query(
    'insert into destinations.deleted_key (id) select unnest($1::uuid[]) on conflict do nothing returning id',
    [keyIds],
  );
  return rows.length > 0;
}

/** Whether a key was deleted. Until the end of the transaction no key is. */
export async function isDeletedKey(transaction: Queryable, keyId: string): Promise<boolean> {
  await lockDestinations(transaction);
  return (await transaction.query('select from destinations.deleted_key where id = $1', [keyId])).length > 0;
}

/** Pauses the destinations that these keys set; returns their ids. */
export async function pauseDestinationsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `update destinations.destination set paused = true, paused_reason = 'key_deleted', updated_at = now()
     where api_key_id = any($1::uuid[]) and not paused returning id`,
    [keyIds],
  );
  return rows.map(({ id }) => id);
}
