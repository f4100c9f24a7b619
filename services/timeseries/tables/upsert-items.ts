import type { Queryable } from '../../../mixins/database/database.ts';
import type { ItemRow } from './select-items.ts';

const statement = {
  name: 'timeseries-upsert-items',
  text: `
    insert into timeseries.item
      (user_id, provider, data_type, key, duration_seconds, hash, pending_hash, is_first, record_ids, was_final,
       normaliser_version, received_at)
    select $1, $2, t.data_type, t.key, t.duration_seconds, t.hash, t.pending_hash, t.is_first, t.record_ids, t.was_final,
      t.normaliser_version, to_timestamp(t.received_ms / 1000)
    from jsonb_to_recordset($3) t (data_type text, key text, duration_seconds int, hash text, pending_hash text,
      is_first boolean, record_ids uuid[], was_final boolean, normaliser_version smallint, received_ms float8)
    order by t.data_type, t.key
    on conflict (user_id, provider, data_type, key) do update
      set duration_seconds = excluded.duration_seconds, hash = excluded.hash,
        pending_hash = excluded.pending_hash, is_first = excluded.is_first, record_ids = excluded.record_ids,
        was_final = excluded.was_final, normaliser_version = excluded.normaliser_version,
        received_at = excluded.received_at`,
};

/** Writes stored versions of items. */
export async function upsertItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  items: readonly ItemRow[],
): Promise<void> {
  if (items.length === 0) return;
  await transaction.query(statement, [userId, provider, JSON.stringify(items)]);
}
