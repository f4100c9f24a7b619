import type { Queryable } from '../../../../mixins/database/database.ts';
import { daysOfFootprint } from '../../tables/footprint.ts';
import type { ItemRow } from '../../tables/select-items.ts';
import type { Owner } from './select-made.ts';

const item = {
  name: 'timeseries-note-item-version',
  text: `
    update timeseries.item set normaliser_version = $5, footprint = $6, first_day = $7, last_day = $8,
      received_at = coalesce(received_at, to_timestamp($9::float8 / 1000))
    where user_id = $1 and provider = $2 and data_type = $3 and key = $4`,
};

const records = (['workout', 'sleep_session', 'provider_day', 'other_record'] as const).map((table) => ({
  name: `timeseries-note-${table}-version`,
  text: `
    update timeseries.${table} set normaliser_version = $3
    where user_id = $1 and id = any($2::uuid[]) and normaliser_version is distinct from $3`,
}));

const rowsOfItem = (['day_value', 'score'] as const).map((table) => ({
  name: `timeseries-note-${table}-version`,
  text: `
    update timeseries.${table} set normaliser_version = $5
    where user_id = $1 and provider = $2 and data_type = $3 and key = $4 and normaliser_version is distinct from $5`,
}));

/** Records that the current normaliser makes the same of an item. Nothing else changes, and no change is announced. */
export async function noteVersion(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { data_type, key, record_ids, footprint, received_ms, normaliser_version }: ItemRow,
): Promise<void> {
  const { first_day, last_day } = daysOfFootprint(footprint);
  const which = [user_id, provider, data_type, key];
  await transaction.query(item, [
    ...which,
    ...[normaliser_version, footprint, first_day, last_day, received_ms],
  ]);
  await transaction.query("select set_config('changes.unrecorded', 'on', true)");
  for (const statement of rowsOfItem) await transaction.query(statement, [...which, normaliser_version]);
  if (record_ids.length > 0)
    for (const statement of records)
      await transaction.query(statement, [user_id, record_ids, normaliser_version]);
  await transaction.query("select set_config('changes.unrecorded', 'off', true)");
}
