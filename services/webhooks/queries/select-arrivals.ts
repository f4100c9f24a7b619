import type { Queryable } from '../../../mixins/database/database.ts';

/** A change of a connection or of data of a provider. */
export interface ArrivalRow {
  readonly project_id: string;
  readonly user_id: string;
  readonly type: string;
  readonly provider: string;
  readonly connection_id: string | null;
  readonly detail: string | null;
  readonly historical: boolean;
  readonly last_ms: number | null;
  readonly recorded_ms: number;
}

const statement = {
  name: 'webhooks.select_arrivals',
  text: `
    with part as materialized (select * from changes.change where id > $1 order by id limit $2)
    select found.*, p.last_id, p.n from (
      select max(id)::text as last_id, count(*)::int as n from part) p
    left join (
      select id, project_id, user_id, type, data ->> 'provider' as provider, data ->> 'connection_id' as connection_id,
        coalesce(data ->> 'series_type', data ->> 'kind') as detail, historical, extract(epoch from last_at)::float8 * 1000 as last_ms,
        extract(epoch from recorded_at)::float8 * 1000 as recorded_ms
      from part where user_id is not null and data ? 'provider' and (type = 'timeseries.updated' and n > 0
        or type in ('workout.created', 'workout.updated', 'sleep.created', 'sleep.updated', 'score.updated', 'connection.created',
          'connection.revoked', 'connection.expired'))) found on true
    order by found.id`,
};

type Read = ArrivalRow & { readonly id: string | null; readonly last_id: string | null; readonly n: number };

/** The arrivals among the next changes after an id. */
export async function selectArrivals(database: Queryable, after: string, limit: number) {
  const rows = await database.query<Read>(statement, [after, limit]);
  const changes = rows
    .filter(({ id }) => id !== null)
    .map(({ id: _, last_id: __, n: ___, ...change }): ArrivalRow => change);
  return { changes, last_id: rows[0]?.last_id ?? after, has_more: rows[0]?.n === limit };
}
