import type { Queryable } from '../../../mixins/database/database.ts';

/** A change of data of a user, with the local day or the span that it concerns. */
export interface DataChangeRow {
  readonly id: string;
  readonly user_id: string;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
  readonly historical: boolean;
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const statement = {
  name: 'webhooks.select_data_changes',
  text: `
    with part as materialized (select * from changes.change where id > $1 order by id limit $2)
    select found.*, p.last_id, p.n from (
      select max(id)::text as last_id, count(*)::int as n from part) p
    left join (
      select id::text, user_id, case when type = 'activity_summary.updated' then data ->> 'date' end as date,
        ${ms('first_at')} as first_ms, ${ms('last_at')} as last_ms, historical
      from part where user_id is not null and (type = 'timeseries.updated' and data ->> 'series_type' = any($3)
        or type = 'activity_summary.updated' and data ? 'date' or type ~ '^(workout|sleep)[.]')) found on true
    order by found.id::bigint`,
};

type Read = Omit<DataChangeRow, 'id'> & {
  readonly id: string | null;
  readonly last_id: string | null;
  readonly n: number;
};

/** The changes of data among the next changes after an id. */
export async function selectDataChanges(
  database: Queryable,
  {
    after,
    limit,
    series,
  }: { readonly after: string; readonly limit: number; readonly series: readonly string[] },
) {
  const rows = await database.query<Read>(statement, [after, limit, series]);
  const changes = rows.flatMap(({ id, user_id, date, first_ms, last_ms, historical }): DataChangeRow[] =>
    id === null ? [] : [{ id, user_id, date, first_ms, last_ms, historical }],
  );
  return { changes, last_id: rows[0]?.last_id ?? after, has_more: rows[0]?.n === limit };
}
