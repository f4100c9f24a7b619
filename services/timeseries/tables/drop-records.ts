import type { StoreItem } from '../../../domain/records/records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

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

const track = {
  name: 'timeseries-drop-track',
  text: `
    delete from timeseries.workout_track t using timeseries.workout w
    where t.workout_id = w.id and w.user_id = $1 and t.user_id = $1 and w.provider = $2 and w.key = $3
      and t.data_type = $4 and t.hash = $5`,
};

/** Deletes the track that a version of an item brought. The version is stored again, maybe with a shorter one. */
export async function dropTrack(
  transaction: Queryable,
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  { key, data_type, hash }: StoreItem,
): Promise<void> {
  await transaction.query(track, [user_id, provider, key, data_type, hash]);
}
