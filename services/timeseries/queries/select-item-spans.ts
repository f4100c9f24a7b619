import type { Queryable } from '../../../mixins/database/database.ts';

/** An item by its name at the provider. */
export interface NamedItems {
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly { readonly data_type: string; readonly key: string }[];
}

// The records of an item have its span. An item of samples alone has the days of its samples.
const statement = {
  name: 'timeseries-select-item-spans',
  text: `
    with named as (
      select i.record_ids, i.first_day, i.last_day from unnest($3::text[], $4::text[]) t (data_type, key)
      join timeseries.item i on i.user_id = $1 and i.provider = $2 and i.data_type = t.data_type and i.key = t.key),
    ids as (select unnest(record_ids) as id from named),
    spans as (
      select w.start_time, w.end_time from ids join timeseries.workout w on w.id = ids.id where w.user_id = $1
      union all
      select s.start_time, s.end_time from ids join timeseries.sleep_session s on s.id = ids.id where s.user_id = $1
      union all
      select d.start_time, d.start_time + d.duration_seconds * interval '1 s'
        from ids join timeseries.provider_day d on d.id = ids.id where d.user_id = $1
      union all
      select d.start_time, d.start_time + d.duration_seconds * interval '1 s'
        from timeseries.day_value d join unnest($3::text[], $4::text[]) t (data_type, key) using (data_type, key)
        where d.user_id = $1 and d.provider = $2
      union all
      select c.start_time, c.end_time
        from timeseries.score c join unnest($3::text[], $4::text[]) t (data_type, key) using (data_type, key)
        where c.user_id = $1 and c.provider = $2
      union all
      select (date '1970-01-01' + first_day::int) at time zone 'UTC', (date '1970-01-01' + last_day::int + 1) at time zone 'UTC'
        from named where first_day is not null)
    select (extract(epoch from start_time) * 1000)::float8 as start_ms,
      greatest(extract(epoch from end_time) * 1000, extract(epoch from start_time) * 1000 + 1)::float8 as end_ms
    from spans`,
};

/** The spans that items have as they are stored. */
export function selectItemSpans(
  database: Queryable,
  { user_id, provider, items }: NamedItems,
): Promise<{ start_ms: number; end_ms: number }[]> {
  const [types, keys] = [items.map(({ data_type }) => data_type), items.map(({ key }) => key)];
  return database.query(statement, [user_id, provider, types, keys]);
}
