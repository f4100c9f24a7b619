import type { Queryable } from '../../../mixins/database/database.ts';
import { type EndpointRow, endpointColumns, lockEndpoints } from './endpoints.ts';

/** Stores that keys were deleted; false if that was known. No endpoint is created or changed by them afterwards. */
export async function insertDeletedKeys(transaction: Queryable, keyIds: readonly string[]): Promise<boolean> {
  await lockEndpoints(transaction);
  const rows = await transaction.query(
    'insert into webhooks.deleted_key (id) select unnest($1::uuid[]) on conflict do nothing returning id',
    [keyIds],
  );
  return rows.length > 0;
}

/** Whether a key was deleted. Until the end of the transaction no key is. */
export async function isDeletedKey(transaction: Queryable, keyId: string): Promise<boolean> {
  await lockEndpoints(transaction);
  return (await transaction.query('select from webhooks.deleted_key where id = $1', [keyId])).length > 0;
}

/** Disables the endpoints whose address these keys set; returns their ids. */
export async function disableEndpointsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `update webhooks.endpoint set enabled = false, disabled_reason = 'key_deleted', updated_at = now()
     where api_key_id = any($1::uuid[]) and enabled returning id`,
    [keyIds],
  );
  return rows.map(({ id }) => id);
}

/** The endpoints whose address these keys set, oldest first. */
export function selectEndpointsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<EndpointRow[]> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where api_key_id = any($1::uuid[]) order by created_at, id`;
  return transaction.query(statement, [keyIds]);
}
