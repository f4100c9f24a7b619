import type { StoreItem } from '../../../domain/records/records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserProvider } from '../rules/sources.ts';
import { columnsOf } from './arrays.ts';

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

const selectStatement = {
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
  const values = [userId, provider, ...columnsOf(keys, 'data_type', 'key')];
  return transaction.query<ItemRow>(selectStatement, values);
}

const upsertStatement = {
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
  await transaction.query(upsertStatement, [userId, provider, JSON.stringify(items)]);
}

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

const dropTrackStatement = {
  name: 'timeseries-drop-track',
  text: `
    delete from timeseries.workout_track t using timeseries.workout w
    where t.workout_id = w.id and w.user_id = $1 and t.user_id = $1 and w.provider = $2 and w.key = $3
      and t.data_type = $4 and t.hash = $5`,
};

/** Deletes the track that a version of an item brought. The version is stored again, maybe with a shorter one. */
export async function dropTrack(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  { key, data_type, hash }: StoreItem,
): Promise<void> {
  await transaction.query(dropTrackStatement, [user_id, provider, key, data_type, hash]);
}

// Two transactions that bring one id wait for each other, so that neither writes the record of the other. Their order prevents
// deadlocks. With 64 locks for all ids, stores of eight users waited for one another nearly always.
const lockIdsStatement = {
  name: 'timeseries-lock-record-ids',
  text: `
    select pg_advisory_xact_lock(7358, part)
    from (select distinct hashtext(id::text) & 65535 as part from unnest($1::uuid[]) id order by part) ordered`,
};

const freeIdsStatement = {
  name: 'timeseries-select-free-record-ids',
  text: `
    select id from unnest($1::uuid[]) given (id)
    where not exists (select from timeseries.workout w where w.id = given.id)
      and not exists (select from timeseries.sleep_session s where s.id = given.id)
      and not exists (select from timeseries.other_record o where o.id = given.id)`,
};

/** Those of the ids that no record of any user has. Until the end of the transaction no other one takes them. */
export async function lockFreeIds(transaction: Queryable, ids: readonly string[]): Promise<Set<string>> {
  await transaction.query(lockIdsStatement, [ids]);
  const free = await transaction.query<{ id: string }>(freeIdsStatement, [ids]);
  return new Set(free.map(({ id }) => id));
}
