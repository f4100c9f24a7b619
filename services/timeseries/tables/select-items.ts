import type { Queryable } from '../../../mixins/database/database.ts';

/** The stored version of an item. `hash` is null while its parts are pending. */
export interface ItemRow {
  data_type: string;
  key: string;
  duration_seconds: number;
  hash: string | null;
  pending_hash: string | null;
  is_first: boolean;
  record_ids: string[];
  /** Sleeps only: some version of the item was final, whether it was stored or not. */
  was_final: boolean;
  /** The version of the normaliser that made it. Null: unknown. */
  normaliser_version: number | null;
  /** The arrival of the delivery that brought it. Null: unknown, or it came in none. */
  received_ms: number | null;
}

const statement = {
  name: 'timeseries-select-items',
  text: `
    select i.data_type, i.key, i.duration_seconds, i.hash, i.pending_hash, i.is_first, i.record_ids,
      i.was_final, i.normaliser_version, (extract(epoch from i.received_at) * 1000)::float8 as received_ms
    from unnest($3::text[], $4::text[]) t (data_type, key)
    join timeseries.item i on i.user_id = $1 and i.provider = $2 and i.data_type = t.data_type and i.key = t.key`,
};

/** The stored versions of the given items. */
export function selectItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly { data_type: string; key: string }[],
): Promise<ItemRow[]> {
  const values = [userId, provider, keys.map((one) => one.data_type), keys.map((one) => one.key)];
  return transaction.query<ItemRow>(statement, values);
}
