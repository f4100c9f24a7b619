import pg from 'pg';
import type { z } from 'zod';
import { firstRow, type Queryable, type Statement } from '../database/database.ts';
import { claimStatement, fencedWrites, type JobTable } from './job-table.ts';
import { lanes } from './lanes.ts';

/*
 * The table jobs.job: a row for each job that is not the state of a row of its owner. Enqueuing is part of the caller's
 * transaction. One row per kind and key: a job runs once at a time, and enqueuing it again while it waits changes it.
 */

/** A kind of jobs of one service: its name, its payload, and how often a failed attempt is repeated. */
export interface JobKind<P> {
  /** `{service}.{work}`. */
  readonly name: string;
  /** A JSON value. It is stored in clear: secrets are encrypted before. */
  readonly payload: z.ZodType<P>;
  /** Failed attempts after which the job becomes a dead letter. Default: none. */
  readonly mostFailures?: number;
  /** Delay after a failed attempt, from the number of failures. Default: exponential with jitter. */
  readonly retryMs?: (failures: number) => number;
}

/** A kind without the type of its payload. */
export interface RetryRules extends Omit<JobKind<unknown>, 'payload'> {
  /** A recurring job: due again after this time. It exists once, with an empty key. */
  readonly everyMs?: number;
}

/** A job to enqueue. */
export interface NewJob<P> {
  /** Ids, or empty. Never a secret: operators see keys. */
  readonly key: string;
  readonly payload: P;
  readonly lane?: (typeof lanes)[keyof typeof lanes];
  /** Not due before. Default: at once. */
  readonly delayMs?: number;
}

/** A job that this process holds. */
export interface Job<P> {
  readonly kind: string;
  readonly key: string;
  readonly attempt: number;
  /** Failed attempts so far. */
  readonly failures: number;
  /** Changes when the job is enqueued again or cancelled. */
  readonly version: number;
  readonly payload: P;
  readonly created_at: Date;
}

/**
 * The outcome of an attempt. `again`: succeeded, due again after `delayMs`. `later`: failed with a code as the reason,
 * due again after the kind's delay or `delayMs`. `stopped`: ended by the signal, due at once, not counted. `dead`: no
 * attempt can succeed.
 */
export type JobOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly delayMs: number }
  | { readonly kind: 'later'; readonly reason: string; readonly delayMs?: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'dead'; readonly reason: string };

/** A leased row. */
export interface JobRow extends Omit<Job<unknown>, 'payload'> {
  readonly payload: unknown;
  /** Cancelled during an earlier attempt that had no outcome. */
  readonly cancelled: boolean;
  /** Attempts without an outcome, including this one: the process crashed or lost its lease. */
  readonly crashes: number;
}

const table: JobTable = {
  name: 'jobs',
  table: 'jobs.job',
  key: { kind: 'text', key: 'text' },
  attempt: 'attempt',
  lease: 'leased = true, crashes = j.crashes + 1',
  isLeased: 'leased',
};

/** Writes of the holder of a job, fenced by its attempt. */
export const fenced = fencedWrites(table);
/** The key of a leased row. */
export const keyOf = ({ kind, key, attempt }: Pick<JobRow, 'kind' | 'key' | 'attempt'>) => ({
  key: [kind, key],
  attempt,
});

// The earlier of two due times counts. A leased row stays leased: its holder finds another version and leaves it open.
const enqueued: Statement = {
  name: 'jobs.enqueue',
  text: `
    insert into jobs.job as j (kind, key, lane, payload, run_at)
    values ($1, $2, $3, $4, now() + $5 * interval '1 ms')
    on conflict (kind, key) do update set
      lane = excluded.lane, payload = excluded.payload, version = j.version + 1, failures = 0, crashes = 0,
      error = null, dead_at = null, created_at = now(), cancelled = false,
      run_at = case when j.leased then j.run_at when j.dead_at is null then least(j.run_at, excluded.run_at)
        else excluded.run_at end`,
};

/** Enqueues a job, or changes the waiting one with the same key. Effective when the transaction commits. */
export async function enqueue<P>(
  transaction: Queryable,
  { name, payload: schema }: JobKind<P>,
  { key, payload, lane = lanes.live, delayMs = 0 }: NewJob<P>,
): Promise<void> {
  const value = JSON.stringify(schema.parse(payload));
  await transaction.query(enqueued, [name, key, lane, value, Math.round(delayMs)]);
}

/** Deletes a job. The outcome of an attempt in progress is ignored, and the row is deleted after it. */
export async function cancelJob(transaction: Queryable, kind: RetryRules, key: string): Promise<void> {
  await cancelJobs(transaction, kind, 'key = $2', [key]);
}

/** Cancels the jobs of a kind that a condition selects. Its parameters begin at `$2`. */
export async function cancelJobs(
  transaction: Queryable,
  { name }: RetryRules,
  condition: string,
  values: readonly unknown[],
): Promise<void> {
  const selected = `kind = $1 and (${condition})`;
  await transaction.query(
    `with gone as (delete from jobs.job where ${selected} and not leased)
     update jobs.job set cancelled = true, version = version + 1 where ${selected} and leased`,
    [name, ...values],
  );
}

const recurring: Statement = {
  name: 'jobs.recur',
  text: `insert into jobs.job (kind, key, run_at) values ($1, '', now() + $2 * interval '1 ms') on conflict do nothing`,
};

/** Creates a recurring job unless it exists. */
export async function ensureRecurring(
  database: Queryable,
  name: string,
  firstAfterMs: number,
): Promise<void> {
  await database.query(recurring, [name, firstAfterMs]);
}

const claimedColumns = `j.kind, j.key, j.attempt, j.failures, j.crashes, j.version, j.cancelled,
  j.payload, j.created_at`;
const claimed = claimStatement(table, {
  name: 'claim',
  parameters: 4,
  due: `
    select d.kind, d.key from unnest($3::text[], $4::int[]) k (kind, free)
    cross join lateral (
      select j.kind, j.key from jobs.job j where j.kind = k.kind and j.dead_at is null and j.run_at <= now()
      order by j.lane, j.run_at limit k.free for update skip locked) d
    limit $1`,
  returning: claimedColumns,
});

/** SQL that is true while a job of these kinds may be due. */
export function isDue(kinds: readonly string[]): string {
  const list = kinds.map((kind) => pg.escapeLiteral(kind)).join(', ');
  return `exists (select from jobs.job where kind in (${list}) and dead_at is null and run_at <= now())`;
}

/** Leases due jobs of kinds, with the number of each kind that may begin. */
export function claimJobs(
  database: Queryable,
  free: ReadonlyMap<string, number>,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<JobRow[]> {
  return database.query<JobRow>(claimed, [limit, leaseMs, [...free.keys()], [...free.values()]]);
}

const claimedOne = claimStatement(table, {
  name: 'claim_one',
  parameters: 4,
  due: `
    select kind, key from jobs.job where kind = $3 and key = $4 and (not leased or run_at <= now())
    limit $1 for update skip locked`,
  returning: claimedColumns,
});

/** Leases one job in the transaction that enqueued it. Undefined if another process works on it. */
export function leaseJob(
  transaction: Queryable,
  { name }: RetryRules,
  { key, leaseMs }: { readonly key: string; readonly leaseMs: number },
): Promise<JobRow | undefined> {
  return firstRow(transaction, claimedOne, [1, leaseMs, name, key]);
}

/** Extends the lease of a job. Returns false if it was lost. */
export const extendJob = (database: Queryable, row: JobRow, leaseMs: number): Promise<boolean> =>
  fenced.extend(database, keyOf(row), leaseMs);

/** The payload of a job. Undefined if there is no such job. `lock` keeps others from the job until the transaction ends. */
export async function payloadOf<P>(
  database: Queryable,
  { name, payload: schema }: JobKind<P>,
  key: string,
  lock = false,
): Promise<P | undefined> {
  const [row] = await database.query<{ payload: unknown }>(
    `select payload from jobs.job where kind = $1 and key = $2 and dead_at is null and not cancelled
     ${lock ? 'for update' : ''}`,
    [name, key],
  );
  return row === undefined ? undefined : schema.parse(row.payload);
}

const counted: Statement = {
  name: 'jobs.count',
  text: `
    select kind, case when dead_at is not null then 'dead' when leased then 'leased' else 'waiting' end as state,
      count(*)::int as n from jobs.job where $1::text[] is null or kind = any($1) group by 1, 2 order by 1, 2`,
};

/** Numbers of jobs by kind and state, of all kinds if `kinds` is null. */
export const countJobs = (
  database: Queryable,
  kinds: readonly string[] | null,
): Promise<{ kind: string; state: 'waiting' | 'leased' | 'dead'; n: number }[]> =>
  database.query(counted, [kinds]);
