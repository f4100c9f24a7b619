import type { Queryable } from '../../../../mixins/database.ts';

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
