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

const dueStatement: Statement = {
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

/** The due rows of the given providers and kinds. A later version may have stored others. */
export const selectDue = (
  database: Queryable,
  { providers, kinds }: { readonly providers: readonly string[]; readonly kinds: readonly string[] },
  nowMs: number,
  limit: number,
): Promise<DueArrival[]> =>
  database.query<DueArrival>(dueStatement, [isoTime(nowMs), limit, providers, kinds]);

/** The decision about a row. It is stored only if no data arrived since the row was read. */
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
const updateStatement: Statement = {
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

/** Stores decisions. Returns those that were stored: no data arrived since their rows were read. */
export async function updateStates(
  transaction: Queryable,
  decisions: readonly Decision[],
  nowMs: number,
): Promise<Decision[]> {
  if (decisions.length === 0) return [];
  const column = <T>(read: (decision: Decision) => T) => decisions.map(read);
  const rows = await transaction.query<{ connection_id: string; kind: string }>(updateStatement, [
    column((d) => d.row.connection_id),
    column((d) => d.row.kind),
    column((d) => d.state),
    column((d) => d.expectedMs),
    column((d) => isoTimeOrNull(d.checkMs)),
    column((d) => d.repairs),
    column((d) => isoTimeOrNull(d.repairedMs)),
    column((d) => d.repairOpen),
    isoTime(nowMs),
    column((d) => d.row.arrivals),
  ]);
  const updated = new Set(rows.map(({ connection_id, kind }) => `${connection_id} ${kind}`));
  return decisions.filter(({ row }) => updated.has(`${row.connection_id} ${row.kind}`));
}

// `late_at` counts connections that turn late. `stale_since` is the state that applications are notified of: it covers
// regular kinds, and all kinds of a connection whose access ended.
const settleStatement: Statement = {
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

interface JudgedConnections {
  readonly ids: readonly string[];
  /** Those that turned late. */
  readonly turned: readonly string[];
  /** The kinds of data that come regularly from a provider. */
  readonly regular: readonly { readonly provider: string; readonly kind: string }[];
}

/** Stores what follows from the states of kinds for their connections. */
export async function settleConnections(
  transaction: Queryable,
  { ids, turned, regular }: JudgedConnections,
  nowMs: number,
): Promise<void> {
  if (ids.length === 0) return;
  const providers = regular.map(({ provider }) => provider);
  const kinds = regular.map(({ kind }) => kind);
  await transaction.query(settleStatement, [ids, turned, providers, kinds, isoTime(nowMs)]);
}

/** Arrivals of a kind of data in a part of the change log. Gaps are in minutes. */
export interface Arrived {
  readonly user_id: string;
  readonly provider: string;
  readonly kind: string;
  /** The number of arrivals of current data. */
  readonly arrivals: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** The longest gap between two of them. */
  readonly innerGap: number | null;
  readonly dataMs: number | null;
  readonly hasPast: boolean;
}

// `gaps` has the days before `gap_day`, 27 at most. A row whose state is not `fresh` is judged again.
const upsertStatement: Statement = {
  name: 'freshness.upsert_arrivals',
  text: `
    with arrived as (
      select c.connection_id, t.kind, c.user_id, c.project_id, c.provider, t.arrivals, t.last_at, t.data_at, t.has_past,
        greatest(t.inner_gap, (extract(epoch from t.first_at - a.last_at) / 60)::int, 0) as gap,
        case when t.inner_gap is not null or a.last_at is not null and t.first_at is not null
          then floor(extract(epoch from t.last_at) / 86400)::int end as gap_day
      from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::int[],
        $8::timestamptz[], $9::boolean[])
        t (user_id, provider, kind, arrivals, first_at, last_at, inner_gap, data_at, has_past)
      join freshness.connection c on c.user_id = t.user_id and c.provider = t.provider
      left join freshness.arrival a on a.connection_id = c.connection_id and a.kind = t.kind
    )
    insert into freshness.arrival as a (connection_id, kind, user_id, project_id, provider, arrivals, last_at, last_data_at,
      has_past, gap_day, gap_longest, check_at)
    select connection_id, kind, user_id, project_id, provider, arrivals, last_at, data_at, has_past, gap_day,
      case when gap_day is not null then gap end, $10
    from arrived order by connection_id, kind
    on conflict (connection_id, kind) do update set
      arrivals = a.arrivals + excluded.arrivals,
      last_at = greatest(a.last_at, excluded.last_at),
      last_data_at = greatest(a.last_data_at, excluded.last_data_at),
      has_past = a.has_past or excluded.has_past,
      gap_day = greatest(a.gap_day, excluded.gap_day),
      gap_longest = case when excluded.gap_day is null then a.gap_longest
        when excluded.gap_day <= a.gap_day then greatest(a.gap_longest, excluded.gap_longest) else excluded.gap_longest end,
      gaps = case when excluded.gap_day > a.gap_day
        then (a.gaps || a.gap_longest)[greatest(1, cardinality(a.gaps) - 25):cardinality(a.gaps) + 1] else a.gaps end,
      repairs = case when excluded.arrivals > 0 then 0 else a.repairs end,
      check_at = case when a.state = 'fresh' and a.check_at is not null then a.check_at
        when excluded.arrivals > 0 or a.state = 'silent' then $10 else a.check_at end`,
};

/**
 * Adds arrivals. Arrivals of unknown connections are ignored. The caller locks the position, so that only one process
 * adds at a time.
 */
export async function upsertArrivals(
  transaction: Queryable,
  arrivals: readonly Arrived[],
  nowMs: number,
): Promise<void> {
  if (arrivals.length === 0) return;
  const column = <T>(read: (arrived: Arrived) => T) => arrivals.map(read);
  await transaction.query(upsertStatement, [
    column((a) => a.user_id),
    column((a) => a.provider),
    column((a) => a.kind),
    column((a) => a.arrivals),
    column((a) => isoTimeOrNull(a.firstMs)),
    column((a) => isoTimeOrNull(a.lastMs)),
    column((a) => a.innerGap),
    column((a) => isoTimeOrNull(a.dataMs)),
    column((a) => a.hasPast),
    isoTime(nowMs),
  ]);
}

/** A kind of data of a connection as it is shown. */
export interface ShownArrival {
  readonly connection_id: string;
  readonly kind: string;
  readonly user_id: string;
  readonly provider: string;
  readonly state: string;
  readonly since: Date;
  readonly last_at: Date | null;
  readonly last_data_at: Date | null;
  readonly expected_ms: number | null;
  readonly repairs: number;
  readonly repaired_at: Date | null;
}

const shown = `a.connection_id, a.kind, a.user_id, a.provider, a.state, a.since, a.last_at, a.last_data_at, a.expected_ms,
  a.repairs, a.repaired_at`;

/** A kind of data of a user's connection, with the connection. */
export interface ArrivalOfUser extends ShownArrival {
  readonly stale_since: Date | null;
  readonly ended_at: Date | null;
}

const ofUser: Statement = {
  name: 'freshness.select_of_user',
  text: `
    select ${shown}, c.stale_since, c.ended_at from freshness.arrival a join freshness.connection c using (connection_id)
    where a.user_id = $1 and c.user_id = $1 order by a.provider, a.kind`,
};

/** All kinds of data of a user's connections. */
export const selectOfUser = (database: Queryable, userId: string): Promise<ArrivalOfUser[]> =>
  database.query<ArrivalOfUser>(ofUser, [userId]);

const inState = (condition: string) => `
  select ${shown} from freshness.arrival a
  where a.project_id = $1 and a.state = $2 ${condition} and (a.connection_id, a.kind) > ($3::uuid, $4)
  order by a.connection_id, a.kind limit $5`;

/** The position in a list by state. */
export type ListKey = readonly [connection: string, kind: string];

interface StateFilter {
  readonly project: string;
  readonly state: string;
  readonly provider: string | null;
}

/** Kinds of data in a state after a position, of a project and, unless null, of a provider. */
export function selectInState(
  database: Queryable,
  { project, state, provider }: StateFilter,
  after: ListKey,
  limit: number,
): Promise<ShownArrival[]> {
  const values = [project, state, ...after, limit];
  if (provider === null)
    return database.query({ name: 'freshness.select_in_state', text: inState('') }, values);
  const ofProvider = { name: 'freshness.select_in_state_of', text: inState('and a.provider = $6') };
  return database.query(ofProvider, [...values, provider]);
}

/** The number of kinds of data by provider and state. */
export const countStates = (
  database: Queryable,
): Promise<{ readonly provider: string; readonly state: string; readonly n: number }[]> =>
  database.query(
    'select provider, state, count(*)::int as n from freshness.arrival group by provider, state',
  );

/** The id up to which the change log was read. */
export async function selectPosition(database: Queryable): Promise<string> {
  const [row] = await database.query<{ last_id: string }>('select last_id::text from freshness.position');
  return row?.last_id ?? '0';
}

/** Moves the position on, and holds it until the transaction ends. Returns false if it was moved meanwhile. */
export async function movePosition(transaction: Queryable, from: string, to: string): Promise<boolean> {
  const rows = await transaction.query(
    'update freshness.position set last_id = $2 where last_id = $1 returning last_id',
    [from, to],
  );
  return rows.length > 0;
}
