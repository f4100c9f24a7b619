import type { Queryable } from '../../../../mixins/database/database.ts';

/** The order of sources of a user for a series type; `type_id` 0 stands for all types. Null is the configured order. */
export interface PriorityRow {
  type_id: number;
  providers: string[] | null;
  device_types: string[] | null;
}

const select = {
  name: 'timeseries-select-source-priority',
  text: `
    select type_id, providers, device_types from timeseries.source_priority where user_id = $1 order by type_id`,
};

/** The orders of sources that a user has instead of the configured one. */
export function selectPriorities(database: Queryable, userId: string): Promise<PriorityRow[]> {
  return database.query<PriorityRow>(select, [userId]);
}

const upsert = {
  name: 'timeseries-upsert-source-priority',
  text: `
    insert into timeseries.source_priority (user_id, type_id, providers, device_types) values ($1, $2, $3, $4)
    on conflict (user_id, type_id) do update
      set providers = excluded.providers, device_types = excluded.device_types`,
};

/** Stores an order. An order without lists is removed. */
export async function upsertPriority(
  transaction: Queryable,
  userId: string,
  { type_id, providers, device_types }: PriorityRow,
): Promise<void> {
  if (providers === null && device_types === null) {
    await transaction.query('delete from timeseries.source_priority where user_id = $1 and type_id = $2', [
      userId,
      type_id,
    ]);
    return;
  }
  await transaction.query(upsert, [userId, type_id, providers, device_types]);
}
