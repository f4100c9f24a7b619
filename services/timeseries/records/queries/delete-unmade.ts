import type { Queryable } from '../../../../mixins/database/database.ts';

/** What the newest version of an item has: day values, or scores of these kinds. */
export interface MadeOfItem {
  readonly data_type: string;
  readonly key: string;
  readonly has_day_values: boolean;
  readonly score_kinds: readonly string[];
}

const statement = {
  name: 'timeseries-delete-unmade',
  text: `
    with made as (
      select * from jsonb_to_recordset($3) t (data_type text, key text, has_day_values boolean, score_kinds text[])),
    without_values as (
      delete from timeseries.day_value v using made m
      where v.user_id = $1 and v.provider = $2 and v.data_type = m.data_type and v.key = m.key and not m.has_day_values)
    delete from timeseries.score s using made m
    where s.user_id = $1 and s.provider = $2 and s.data_type = m.data_type and s.key = m.key and s.kind <> all(m.score_kinds)`,
};

/** Deletes the day values and the scores of items that their newest versions do not have. */
export async function deleteUnmade(
  transaction: Queryable,
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  items: readonly MadeOfItem[],
): Promise<void> {
  if (items.length > 0) await transaction.query(statement, [user_id, provider, JSON.stringify(items)]);
}
