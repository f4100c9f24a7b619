import type { Queryable } from '../../../mixins/database/database.ts';
import { claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import type { RequestedProvider } from '../provider.ts';

/** A backfill that is leased to its caller; `attempt` fences off former holders. */
export interface RunLease {
  readonly id: string;
  readonly attempt: number;
  readonly connection_id: string;
  readonly user_id: string;
  readonly provider: RequestedProvider;
  readonly connected_at: Date;
}

const table: JobTable = {
  name: 'backfill',
  table: 'backfill.run',
  key: { id: 'uuid' },
  attempt: 'attempt',
  lease: 'asking = true',
  isLeased: 'asking',
};

const claim = claimStatement(table, {
  name: 'claim',
  parameters: 3,
  due: `
    select id from backfill.run
    where provider = any($3) and state = 'running' and run_at <= now()
    order by lane, run_at limit $1 for update skip locked`,
  returning: 'j.id, j.attempt, j.connection_id, j.user_id, j.provider, j.connected_at',
});

/** SQL that is true while a backfill is due. */
export const isRunDue = `exists (select from backfill.run where state = 'running' and run_at <= now())`;

/** Leases up to `limit` due backfills of providers, by lane, the longest waiting first. */
export function claimRuns(
  database: Queryable,
  providers: readonly RequestedProvider[],
  limit: number,
  leaseMs: number,
): Promise<RunLease[]> {
  return database.query<RunLease>(claim, [limit, leaseMs, providers]);
}

const { extend } = fencedWrites(table);

/** Extends the lease of a backfill. Returns false if it was lost. */
export function extendRun(database: Queryable, { id, attempt }: RunLease, leaseMs: number): Promise<boolean> {
  return extend(database, { key: [id], attempt }, leaseMs);
}
