import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A connection to reconcile from an instant on. */
export interface NewReconciliation {
  readonly connection_id: string;
  readonly user_id: string;
  readonly start_ms: number;
}

const isWaiting = "r.state = 'waiting'";
const isBegun = `(${isWaiting} and (r.leased or r.pages > 0))`;
const kept = (column: string, otherwise: string) =>
  `${column} = case when ${isWaiting} then r.${column} else ${otherwise} end`;

// A waiting reconciliation takes the earlier start, and keeps its delay after a failure. One that has begun is not
// changed: another follows it. If its first page was postponed, it waits again and takes the start of the other.
const request: Statement = {
  name: 'activitynet.request_reconciliation',
  text: `
    insert into activitynet.reconciliation as r (connection_id, user_id, start_time)
    values ($1, $2, to_timestamp($3::float8 / 1000))
    on conflict (connection_id) do update set user_id = excluded.user_id, state = 'waiting',
      again_from = case when ${isBegun} then least(r.again_from, excluded.start_time) end,
      start_time = case when ${isBegun} then r.start_time
        when ${isWaiting} then least(r.start_time, r.again_from, excluded.start_time) else excluded.start_time end,
      run_at = case when ${isBegun} or (${isWaiting} and r.failures > 0) then r.run_at
        when ${isWaiting} then least(r.run_at, now()) else now() end,
      ${kept('pages', '0')}, ${kept('listed', "'{}'")}, ${kept('end_time', 'null')}, ${kept('connected_at', 'null')},
      ${kept('failures', '0')}, ${kept('reason', 'null')}, ${kept('finished_at', 'null')}
    returning coalesce(again_from, start_time) as start_time`,
};

/** Makes a connection wait for a reconciliation. Returns the start of the waiting one. */
export async function requestReconciliation(
  database: Queryable,
  { connection_id, user_id, start_ms }: NewReconciliation,
): Promise<Date> {
  const values = [connection_id, user_id, start_ms];
  const [row] = await database.query<{ start_time: Date }>(request, values);
  if (row === undefined) throw new Error('the reconciliation was not written');
  return row.start_time;
}

/** A nightly reconciliation, which waits until `at_ms`. */
export interface Nightly extends NewReconciliation {
  readonly at_ms: number;
}

// A connection whose reconciliation waits or runs is left to a later call, and one that was scheduled for that day to the
// next day.
const schedule: Statement = {
  name: 'activitynet.schedule_reconciliations',
  text: `
    insert into activitynet.reconciliation as r (connection_id, user_id, start_time, run_at, nightly_on)
    select t.connection_id, t.user_id, to_timestamp(t.start_ms / 1000), to_timestamp(t.at_ms / 1000),
      (to_timestamp(t.at_ms / 1000) at time zone 'UTC')::date
    from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) t (connection_id, user_id, start_ms, at_ms)
    on conflict (connection_id) do update set user_id = excluded.user_id, state = 'waiting',
      start_time = excluded.start_time, run_at = excluded.run_at, nightly_on = excluded.nightly_on, pages = 0,
      listed = '{}', end_time = null, connected_at = null, failures = 0, reason = null, finished_at = null
    where r.state <> 'waiting' and (r.nightly_on is null or r.nightly_on < excluded.nightly_on)
    returning r.connection_id`,
};

/** Schedules nightly reconciliations, at most one a UTC day and connection. Returns how many are new. */
export async function scheduleReconciliations(
  database: Queryable,
  nightly: readonly Nightly[],
): Promise<number> {
  if (nightly.length === 0) return 0;
  const rows = await database.query(schedule, [
    nightly.map(({ connection_id }) => connection_id),
    nightly.map(({ user_id }) => user_id),
    nightly.map(({ start_ms }) => start_ms),
    nightly.map(({ at_ms }) => at_ms),
  ]);
  return rows.length;
}
