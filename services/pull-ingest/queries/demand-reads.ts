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
  /** Set for demands of unauthenticated senders. */
  readonly unauthenticatedFloorMs: number | null;
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

const waiting: Statement = {
  name: 'pull.select_waiting',
  text: `
    select connection_id, type from pull.reading where (connection_id, type) in (select * from unnest($1::uuid[], $2::text[]))
      and not leased and run_at is not null`,
};

/** Longer than any row waits, so that a demand does not move it. */
const noEarlierMs = 3650 * 86_400_000;

// Rows that wait already are read anyway, at their own time. Each other row gets a slot of its connection.
const defer: Statement = {
  name: 'pull.defer_unauthenticated',
  text: `
    with idle as (
      select connection_id, type, row_number() over (partition by connection_id order by type) - 1 as number
      from pull.reading where (connection_id, type) in (select * from unnest($1::uuid[], $2::text[]))
        and not leased and run_at is null),
    slot as (
      update pull.connection c set unauthenticated_at = greatest(now(), c.unauthenticated_at) + n.rows * $3 * interval '1 ms'
      from (select connection_id, count(*) as rows from idle group by connection_id) n
      where c.connection_id = n.connection_id
      returning c.connection_id, c.unauthenticated_at - n.rows * $3 * interval '1 ms' as first_at)
    select i.connection_id, i.type, greatest(0, extract(epoch from s.first_at - now()) * 1000)::float8
      + i.number * $3 as wait_ms
    from idle i join slot s using (connection_id)`,
};

const lock: Statement = {
  name: 'pull.lock_connections',
  text: 'select from pull.connection where connection_id = any($1) order by connection_id for update',
};

/** Demands reads. Spans of one connection and type are merged. Connections that are unknown are ignored. */
export async function demandReads(
  transaction: Queryable,
  demands: readonly Demand[],
  pace: DemandPace,
): Promise<void> {
  if (demands.length === 0) return;
  const { settleMs, floorMs, unauthenticatedFloorMs } = pace;
  if (unauthenticatedFloorMs === null) return insert(transaction, demands, settleMs, floorMs);
  const ids = demands.map(({ connection_id }) => connection_id);
  await transaction.query(lock, [ids]);
  await insertIdle(transaction, demands);
  const types = demands.map(({ type }) => type);
  type Wait = Pick<Demand, 'connection_id' | 'type'> & { readonly wait_ms: number };
  const known = await transaction.query<Omit<Wait, 'wait_ms'>>(waiting, [ids, types]);
  const slots = await transaction.query<Wait>(defer, [ids, types, unauthenticatedFloorMs]);
  const waits = [...known.map((row): Wait => ({ ...row, wait_ms: noEarlierMs })), ...slots];
  const waitOf = ({ connection_id, type }: Demand) =>
    waits.find((one) => one.connection_id === connection_id && one.type === type)?.wait_ms ?? null;
  // A row without a wait is being read. It would be due again at the end of its lease, so the demand is dropped.
  for (const [wait, own] of Map.groupBy(demands, waitOf))
    if (wait !== null) await insert(transaction, own, Math.max(settleMs, wait), floorMs);
}

async function insert(
  transaction: Queryable,
  demands: readonly Demand[],
  settleMs: number,
  floorMs: number,
): Promise<void> {
  await transaction.query(demand, [
    demands.map(({ connection_id }) => connection_id),
    demands.map(({ type }) => type),
    demands.map(({ span }) => (span === null ? '{}' : multirange([span]))),
    demands.map(({ span }) => span === null),
    Math.round(settleMs),
    floorMs,
  ]);
}

// Rows must exist so that they can wait for their slots.
async function insertIdle(transaction: Queryable, demands: readonly Demand[]): Promise<void> {
  await transaction.query(
    `insert into pull.reading (connection_id, type)
     select distinct c.connection_id, t.type from unnest($1::uuid[], $2::text[]) t (connection_id, type)
     join pull.connection c using (connection_id) on conflict do nothing`,
    [demands.map(({ connection_id }) => connection_id), demands.map(({ type }) => type)],
  );
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
