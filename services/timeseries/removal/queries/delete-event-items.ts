import { OtherEventType } from '../../../../domain/wire.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

// Both conditions have an index of their own: the key is unique within a type, and `data` is a meal's in nutrition only.
const statement = {
  name: 'timeseries-delete-event-items',
  text: `
    with named as (
      select id from timeseries.other_record
      where user_id = $1 and provider = $2 and type = any($3::text[]) and key = any($4::text[])
      union
      select id from timeseries.other_record
      where user_id = $1 and provider = $2 and type = 'nutrition' and data ->> 'meal_id' = any($4::text[])
    ), gone as (
      delete from timeseries.other_record where user_id = $1 and id in (select id from named) returning type, key
    ), forgotten as (
      delete from timeseries.item i using gone
      where i.user_id = $1 and i.provider = $2 and i.data_type = gone.type and i.key = gone.key
    )
    select count(*)::int as n from gone`,
};

/**
 * Deletes events other than workouts and sleep by the keys of their items, with their versions. The key of a meal deletes
 * its nutrients too. Returns the number of events.
 */
export async function deleteEventItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const values = [userId, provider, OtherEventType.options, keys];
  const [row] = await transaction.query<{ n: number }>(statement, values);
  return row?.n ?? 0;
}
