import { firstRow, type Queryable, type Statement } from '../database/database.ts';

/** A dead letter of jobs.job, without its payload. */
export interface DeadJobRow {
  readonly kind: string;
  readonly key: string;
  readonly error: string | null;
  readonly dead_at: Date;
}

const selected: Statement = {
  name: 'jobs.dead_letters',
  text: `
    select kind, key, error, dead_at from jobs.job where dead_at is not null
    order by dead_at desc, kind, key limit $1`,
};

/** The newest dead letters of all services. */
export const selectDeadJobs = (database: Queryable, most: number): Promise<DeadJobRow[]> =>
  database.query<DeadJobRow>(selected, [most]);

const retried: Statement = {
  name: 'jobs.retry_dead_letter',
  text: `
    update jobs.job set dead_at = null, error = null, failures = 0, crashes = 0, run_at = now()
    where kind = $1 and key = $2 and dead_at is not null
    returning kind, key, failures, error, run_at, dead_at`,
};

/** A job that waits, without its payload. */
export interface RetriedJobRow extends Omit<DeadJobRow, 'dead_at'> {
  readonly failures: number;
  readonly run_at: Date;
  readonly dead_at: null;
}

/** Makes a dead letter due again. Undefined if there is none. */
export function retryDeadJob(
  database: Queryable,
  kind: string,
  key: string,
): Promise<RetriedJobRow | undefined> {
  return firstRow(database, retried, [kind, key]);
}

const expired: Statement = {
  name: 'jobs.expired_dead_letters',
  text: 'delete from jobs.job where dead_at < now() - make_interval(days => $1)',
};

/** Deletes dead letters that are older than `days`. Their payloads may contain encrypted tokens. */
export async function deleteOldDeadJobs(database: Queryable, days: number): Promise<void> {
  await database.query(expired, [days]);
}
