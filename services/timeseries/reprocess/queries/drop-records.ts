import type { StoreItem } from '../../../../domain/records.ts';
import type { Queryable } from '../../../../mixins/database.ts';

/** Deletes the records of an item that its normaliser no longer makes. */
export async function dropRecords(
  transaction: Queryable,
  userId: string,
  item: StoreItem,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0 || item.part > 0) return;
  const unmade = {
    workout: item.workout === null,
    sleep_session: item.sleeps.length === 0,
    provider_day: item.day === null,
    other_record: item.other === null,
  };
  for (const [table, isUnmade] of Object.entries(unmade))
    if (isUnmade) await transaction.query(deletionFrom(table), valuesFor(table, userId, ids, item));
}

// Another item may have a part in the same workout: it stays with that part.
const deletionFrom = (table: string) =>
  `delete from timeseries.${table} where user_id = $1 and id = any($2::uuid[])
   ${table === 'workout' ? "and parts - $3 = '{}'::jsonb and parts ? $3" : ''}`;

const valuesFor = (table: string, userId: string, ids: readonly string[], { data_type }: StoreItem) =>
  table === 'workout' ? [userId, ids, data_type] : [userId, ids];
