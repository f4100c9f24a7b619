import { isoTime, isoTimeOrNull } from '../../../domain/time/time.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A kind of data of a connection whose state is to be judged. Times are in milliseconds, gaps in minutes. */
export interface DueArrival {
  readonly connection_id: string;
  readonly kind: string;
  readonly user_id: string;
  readonly provider: string;
  readonly connected_ms: number;
  readonly is_ended: boolean;
  readonly arrivals: number;
  readonly last_ms: number | null;
  readonly last_data_ms: number | null;
  readonly has_past: boolean;
  readonly gaps: readonly number[];
  readonly state: string;
  readonly repairs: number;
  readonly repaired_ms: number | null;
  readonly repair_open: boolean;
  /** Activity of the day arrives from this connection. */
  readonly is_carried: boolean;
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const due: Statement = {
  name: 'freshness.select_due',
  text: `
    select a.connection_id, a.kind, a.user_id, a.provider, ${ms('c.connected_at')} as connected_ms,
      c.ended_at is not null as is_ended, a.arrivals::int, ${ms('a.last_at')} as last_ms,
      ${ms('a.last_data_at')} as last_data_ms, a.has_past,
      case when a.gap_longest is null then a.gaps else a.gaps || a.gap_longest end as gaps, a.state, a.repairs,
      ${ms('a.repaired_at')} as repaired_ms, a.repair_open,
      exists (select from freshness.arrival d where d.connection_id = a.connection_id and d.kind = 'daily_activity'
        and a.kind <> 'daily_activity' and d.state = 'fresh' and d.last_at > a.last_at) as is_carried
    from (select * from freshness.arrival
      where check_at <= $1 and provider = any($3) and kind = any($4) order by check_at limit $2) a
    join freshness.connection c using (connection_id) order by a.check_at`,
};

/** The rows of known providers and kinds that are due at an instant. A later version may know others. */
export const selectDue = (
  database: Queryable,
  { providers, kinds }: { readonly providers: readonly string[]; readonly kinds: readonly string[] },
  nowMs: number,
  limit: number,
): Promise<DueArrival[]> => database.query<DueArrival>(due, [isoTime(nowMs), limit, providers, kinds]);

/** What was decided about a row, by the last arrival that it was decided on. */
export interface Decision {
  readonly row: DueArrival;
  readonly state: string;
  readonly expectedMs: number | null;
  readonly checkMs: number | null;
  readonly repairs: number;
  readonly repairedMs: number | null;
  readonly repairOpen: boolean;
}

// A row whose data arrived meanwhile stays due.
const update: Statement = {
  name: 'freshness.update_states',
  text: `
    update freshness.arrival a set state = t.state, since = case when a.state = t.state then a.since else $9 end,
      expected_ms = t.expected_ms, check_at = t.check_at, repairs = t.repairs, repaired_at = t.repaired_at,
      repair_open = t.repair_open
    from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::smallint[], $7::timestamptz[],
      $8::boolean[], $10::bigint[])
      t (connection_id, kind, state, expected_ms, check_at, repairs, repaired_at, repair_open, arrivals)
    where a.connection_id = t.connection_id and a.kind = t.kind and a.arrivals = t.arrivals
    returning a.connection_id, a.kind`,
};

/** Stores decisions. Returns those that hold: no data arrived meanwhile. */
export async function updateStates(
  transaction: Queryable,
  all: readonly Decision[],
  nowMs: number,
): Promise<Decision[]> {
  if (all.length === 0) return [];
  const column = <T>(of: (one: Decision) => T) => all.map(of);
  const rows = await transaction.query<{ connection_id: string; kind: string }>(update, [
    ...[column((d) => d.row.connection_id), column((d) => d.row.kind), column((d) => d.state)],
    ...[column((d) => d.expectedMs), column((d) => isoTimeOrNull(d.checkMs)), column((d) => d.repairs)],
    ...[column((d) => isoTimeOrNull(d.repairedMs)), column((d) => d.repairOpen), isoTime(nowMs)],
    column((d) => d.row.arrivals),
  ]);
  const held = new Set(rows.map(({ connection_id, kind }) => `${connection_id} ${kind}`));
  return all.filter(({ row }) => held.has(`${row.connection_id} ${row.kind}`));
}

// `late_at` counts connections that turn late, `stale_since` what applications were told: regular kinds, and all of an ended access.
const settle: Statement = {
  name: 'freshness.settle_connections',
  text: `
    with judged as materialized (
      select c.connection_id, array_agg(a.kind order by a.kind) filter (where a.state = 'stale' and (c.ended_at is not null
        or (a.provider, a.kind) in (select * from unnest($3::text[], $4::text[])))) as kinds
      from freshness.connection c join freshness.arrival a using (connection_id)
      where c.connection_id = any($1) group by c.connection_id
    )
    update freshness.connection c set stale_kinds = coalesce(j.kinds, '{}'),
      stale_since = case when j.kinds is null then null else coalesce(c.stale_since, $5) end,
      late_at = case when c.connection_id = any($2::uuid[]) then $5 else c.late_at end
    from judged j where j.connection_id = c.connection_id
      and (c.stale_kinds <> coalesce(j.kinds, '{}') or c.connection_id = any($2))`,
};

/** A kind of data that comes regularly from a provider. */
interface RegularKind {
  readonly provider: string;
  readonly kind: string;
}

/** Stores what follows from the states of kinds for their connections. `turned`: those that turned late. */
export async function settleConnections(
  transaction: Queryable,
  { ids, turned, regular }: Settled,
  nowMs: number,
): Promise<void> {
  if (ids.length === 0) return;
  const [providers, kinds] = [regular.map(({ provider }) => provider), regular.map(({ kind }) => kind)];
  await transaction.query(settle, [ids, turned, providers, kinds, isoTime(nowMs)]);
}

interface Settled {
  readonly ids: readonly string[];
  readonly turned: readonly string[];
  readonly regular: readonly RegularKind[];
}
