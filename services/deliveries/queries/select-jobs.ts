import type { Queryable, Statement } from '../../../mixins/database/database.ts';

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
export const kindsOfJobs = `
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
