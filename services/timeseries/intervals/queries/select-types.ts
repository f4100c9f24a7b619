import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-select-types-of-series',
  text: 'select id, type_id from timeseries.series where id = any($1::int[])',
};

/** The types of series. */
export function selectTypes(
  transaction: Queryable,
  ids: readonly number[],
): Promise<{ id: number; type_id: number }[]> {
  return transaction.query<{ id: number; type_id: number }>(statement, [ids]);
}
