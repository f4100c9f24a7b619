import type { Span } from '../../../domain/provider/pulled-provider.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { multirange } from './reading-table.ts';

/** A type of a connection that is to be read: a span, or from its cursor. */
export interface Demand {
  readonly connection_id: string;
  readonly type: string;
  readonly span: Span | null;
}

/** When a demanded read may begin. */
export interface DemandPace {
  readonly settleMs: number;
  readonly floorMs: number;
}

const due = `greatest(now() + $5 * interval '1 ms', r.last_read_at + $6 * interval '1 ms')`;

// A leased row keeps the end of its lease; it is due again when it is released. A row that failed waits for its retry.
const demand: Statement = {
  name: 'pull.demand_reads',
  text: `
    insert into pull.reading as r (connection_id, type, spans, from_cursor, run_at)
    select c.connection_id, t.type, pull.capped(range_agg(t.spans)), bool_or(t.from_cursor), now() + $5 * interval '1 ms'
    from unnest($1::uuid[], $2::text[], $3::tstzmultirange[], $4::boolean[]) t (connection_id, type, spans, from_cursor)
    join pull.connection c using (connection_id) where c.ended_at is null
    group by c.connection_id, t.type order by c.connection_id, t.type
    on conflict (connection_id, type) do update set
      spans = pull.capped(r.spans + excluded.spans), from_cursor = r.from_cursor or excluded.from_cursor,
      run_at = case when r.leased then r.run_at when r.failures > 0 then coalesce(r.run_at, ${due})
        else least(r.run_at, ${due}) end`,
};

/** Demands reads. Spans of one connection and type are merged. Connections that are unknown are ignored. */
export async function demandReads(
  transaction: Queryable,
  demands: readonly Demand[],
  { settleMs, floorMs }: DemandPace,
): Promise<void> {
  if (demands.length === 0) return;
  await transaction.query(demand, [
    demands.map(({ connection_id }) => connection_id),
    demands.map(({ type }) => type),
    demands.map(({ span }) => (span === null ? '{}' : multirange([span]))),
    demands.map(({ span }) => span === null),
    Math.round(settleMs),
    floorMs,
  ]);
}

const past: Statement = {
  name: 'pull.demand_past',
  text: `
    insert into pull.reading as r (connection_id, type, past, run_at)
    select c.connection_id, t.type, $3::tstzmultirange, now() from pull.connection c cross join unnest($2::text[]) t (type)
    where c.connection_id = $1 and c.ended_at is null
    on conflict (connection_id, type) do update set past = pull.capped(r.past + excluded.past),
      run_at = case when r.leased then r.run_at else coalesce(r.run_at, now()) end
    returning type`,
};

/** Demands reads of a span after all that notifications demand. Returns the number of types; 0: the connection is unknown. */
export async function demandPast(
  database: Queryable,
  connectionId: string,
  types: readonly string[],
  span: Span,
): Promise<number> {
  return (await database.query(past, [connectionId, types, multirange([span])])).length;
}
