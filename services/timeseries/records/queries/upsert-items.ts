import type { Queryable } from '../../../../mixins/database.ts';
import type { ItemRow } from './select-items.ts';

const statement = {
  name: 'timeseries-upsert-items',
  text: `
    insert into timeseries.item
      (user_id, provider, data_type, key, duration_seconds, hash, pending_hash, is_first, record_ids, was_final)
    select $1, $2, t.*
    from jsonb_to_recordset($3) t (data_type text, key text, duration_seconds int, hash text, pending_hash text,
      is_first boolean, record_ids uuid[], was_final boolean)
    order by t.data_type, t.key
    on conflict (user_id, provider, data_type, key) do update
      set duration_seconds = excluded.duration_seconds, hash = excluded.hash,
        pending_hash = excluded.pending_hash, is_first = excluded.is_first, record_ids = excluded.record_ids,
        was_final = excluded.was_final`,
};

/** Writes stored versions of items. */
export async function upsertItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  items: readonly ItemRow[],
): Promise<void> {
  if (items.length > 0) await transaction.query(statement, [userId, provider, JSON.stringify(items)]);
}
