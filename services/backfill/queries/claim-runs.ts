import type { Queryable } from '../../../mixins/database.ts';
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

const statement = {
  name: 'backfill.claim',
  text: `
with due as (
  select id from backfill.run
  where provider = $1 and state = 'running' and run_at <= now()
  order by run_at limit $2 for update skip locked)
update backfill.run r set attempt = r.attempt + 1, asking = true, run_at = now() + $3 * interval '1 ms'
from due where r.id = due.id
returning r.id, r.attempt, r.connection_id, r.user_id, r.provider, r.connected_at`,
};

/** Leases up to `limit` due backfills, the longest waiting first. */
export function claimRuns(
  database: Queryable,
  provider: RequestedProvider,
  limit: number,
  leaseMs: number,
): Promise<RunLease[]> {
  return database.query<RunLease>(statement, [provider, limit, leaseMs]);
}
