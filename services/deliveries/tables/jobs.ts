import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A job without its payload. */
export interface ListedJob {
  kind: string;
  key: string;
  failures: number;
  error: string | null;
  run_at: Date;
  dead_at: Date | null;
}

/** Each kind and lane of the jobs that are not dead. Each one has an index entry that is read first. */
const kindsOfJobs = `
kinds as (
  (select kind, lane from jobs.job where dead_at is null order by kind, lane limit 1)
  union all
  select n.kind, n.lane from kinds k cross join lateral (
    select kind, lane from jobs.job where dead_at is null and (kind, lane) > (k.kind, k.lane)
    order by kind, lane limit 1) n
)`;

const columns = 'kind, key, failures, error, run_at, dead_at';

// The due jobs of each kind are in the order of their index, so at most the limit of each is read.
const due: Statement = {
  name: 'deliveries.select_due_jobs',
  text: `
    with recursive ${kindsOfJobs}
    select j.* from kinds k cross join lateral (
      select ${columns} from jobs.job where dead_at is null and kind = k.kind and lane = k.lane and run_at <= now()
      order by run_at limit $1) j
    order by run_at, kind, key limit $1`,
};

const dead: Statement = {
  name: 'deliveries.select_dead_jobs',
  text: `select ${columns} from jobs.job where dead_at is not null order by dead_at desc limit $1`,
};

const named: Statement = {
  name: 'deliveries.select_job',
  text: `select ${columns}, leased from jobs.job where kind = $1 and key = $2`,
};

/** A job by its kind and key; `leased`: a worker processes it, or died and its lease has not expired. */
export async function selectJob(
  database: Queryable,
  kind: string,
  key: string,
): Promise<(ListedJob & { leased: boolean }) | undefined> {
  const [row] = await database.query<ListedJob & { leased: boolean }>(named, [kind, key]);
  return row;
}

/** Jobs that are due, oldest first, or dead letters, newest first. */
export const selectJobs = (database: Queryable, state: 'waiting' | 'dead', most: number) =>
  database.query<ListedJob>(state === 'dead' ? dead : due, [most]);

/** Dead letters are counted up to this number. */
export const mostCounted = 1000;
/** The newest processed deliveries whose times are taken. */
const mostTimed = 1000;

/** The age of the oldest waiting delivery and job in seconds, null if none waits, and the dead letters of both. */
interface BacklogRow {
  delivery_seconds: number | null;
  job_seconds: number | null;
  dead_deliveries: number;
  dead_jobs: number;
}

// A job that is due later does not wait yet.
const backlog: Statement = {
  name: 'deliveries.select_backlog',
  text: `
    with recursive ${kindsOfJobs}
    select
      (select floor(extract(epoch from now() - received_at))::int from deliveries.delivery
       where state = 'ready' order by received_at limit 1) as delivery_seconds,
      (select floor(extract(epoch from now() - min(j.run_at)))::int from kinds k cross join lateral (
         select run_at from jobs.job where dead_at is null and kind = k.kind and lane = k.lane and run_at <= now()
         order by run_at limit 1) j) as job_seconds,
      (select count(*)::int from (
         select from deliveries.delivery where state = 'dead' limit ${mostCounted}) d) as dead_deliveries,
      (select count(*)::int from (
         select from jobs.job where dead_at is not null limit ${mostCounted}) j) as dead_jobs`,
};

/** The backlog of deliveries and jobs. Its cost does not depend on how many wait. */
export async function selectBacklog(database: Queryable): Promise<BacklogRow> {
  const [row] = await database.query<BacklogRow>(backlog);
  return row ?? { delivery_seconds: null, job_seconds: null, dead_deliveries: 0, dead_jobs: 0 };
}

/** How long deliveries of a provider took from receipt to the end of their processing. */
interface TimesRow {
  provider: ProviderName;
  deliveries: number;
  p50_ms: number;
  p99_ms: number;
}

const times: Statement = {
  name: 'deliveries.select_times',
  text: `
    select provider, count(*)::int as deliveries, round(percentile_cont(0.5) within group (order by ms))::int as p50_ms,
      round(percentile_cont(0.99) within group (order by ms))::int as p99_ms
    from (
      select provider, replayed_at, (extract(epoch from done_at - received_at) * 1000)::float8 as ms
      from deliveries.delivery where state = 'done' order by received_at desc, id desc limit ${mostTimed}) newest
    where replayed_at is null and ms is not null group by provider order by provider`,
};

/** The times of the newest processed deliveries, without replayed ones. */
export function selectTimes(database: Queryable): Promise<TimesRow[]> {
  return database.query<TimesRow>(times);
}

// The counts of received data are kept for two days, so the search for a minute with a delivery ends there.
const last: Statement = {
  name: 'deliveries.select_last_received',
  text: `
    select p.provider, m.minute from unnest($1::text[]) p (provider) cross join lateral (
      select minute from deliveries.received_minute where provider = p.provider and deliveries > 0
      order by minute desc limit 1) m`,
};

/** The last minute in which each provider sent a delivery; none for a provider without one in two days. */
export function selectLastReceived(
  database: Queryable,
  providers: readonly string[],
): Promise<{ provider: ProviderName; minute: Date }[]> {
  return database.query(last, [providers]);
}

/** The number of a provider's deliveries by state; `oldest_waiting_seconds` is null if none waits. */
export interface QueueRow {
  provider: ProviderName;
  ready: number;
  working: number;
  dead: number;
  oldest_waiting_seconds: number | null;
}

// Both parts of the union read a partial index with few rows: open deliveries and dead letters.
const statement = `
select provider, count(*) filter (where state = 'ready')::int as ready,
  count(*) filter (where state = 'working')::int as working, count(*) filter (where state = 'dead')::int as dead,
  floor(extract(epoch from now() - min(received_at) filter (where state <> 'dead')))::int as oldest_waiting_seconds
from (
  select provider, state, received_at from deliveries.delivery where state in ('ready', 'working')
  union all
  select provider, state, received_at from deliveries.delivery where state = 'dead'
) open group by provider`;

/** The deliveries of each provider by state; a provider without open or dead deliveries has no row. */
export function selectFigures(database: Queryable): Promise<QueueRow[]> {
  return database.query<QueueRow>(statement);
}
