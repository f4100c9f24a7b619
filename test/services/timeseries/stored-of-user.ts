import type { Queryable } from '../../../mixins/database/database.ts';

const samples = ['sample', 'sample_hour', 'sample_day', 'sample_local_day'];
const days = ['provider_day', 'day_value', 'score'];
const records = ['workout', 'sleep_session', ...days, 'other_record', 'epoch_part'];

/** All data that is stored of a user, with its statistics, without ids and series numbers. */
export async function storedOf(on: Queryable, userId: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of samples)
    found[table] = await on.query(
      `select t.name, s.device, to_jsonb(x) - 'series_id' as row from timeseries.series s
       join timeseries.series_type t on t.id = s.type_id join timeseries.${table} x on x.series_id = s.id
       where s.user_id = $1 order by 1, 2, (to_jsonb(x) - 'series_id')::text`,
      [userId],
    );
  for (const table of records)
    found[table] = await on.query(
      `select to_jsonb(r) - array['id', 'user_id'] as row from timeseries.${table} r where user_id = $1
       order by (to_jsonb(r) - array['id', 'user_id'])::text`,
      [userId],
    );
  return found;
}
