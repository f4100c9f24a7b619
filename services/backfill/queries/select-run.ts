import type { Backfill, StepStatus } from '../../../contracts/backfill.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The row of a backfill for its status. */
export interface RunRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly state: Backfill['status'];
  readonly reason: string | null;
  readonly start_time: Date;
  readonly end_time: Date;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** The aggregated steps of one type; `states` are the distinct states of the steps. */
export interface TypeRow {
  readonly type: string;
  readonly states: StepStatus[];
  readonly reason: string | null;
  readonly requests: number;
  readonly requests_done: number;
  readonly items: number;
  readonly saved: number;
  readonly requested_at: Date | null;
  readonly received_at: Date | null;
}

const run = `
select id, user_id, provider, state, reason, start_time, end_time, created_at, finished_at
from backfill.run where connection_id = $1`;

// The reason of a failed step precedes that of a skipped one; of several, the latest is taken.
const types = `
select type, array_agg(distinct state) as states, count(*)::int as requests,
  (array_agg(reason order by state = 'failed' desc, position desc) filter (where reason is not null))[1] as reason,
  (count(*) filter (where state in ('received', 'skipped', 'failed')))::int as requests_done,
  sum(items)::int as items, sum(saved)::int as saved,
  min(requested_at) as requested_at, max(received_at) as received_at
from backfill.step where run_id = $1 group by type order by min(position)`;

/** The newest backfill of a connection with its types in order; null if there is none. */
export async function selectRun(
  database: Queryable,
  connectionId: string,
): Promise<{ run: RunRow; types: TypeRow[] } | null> {
  const [found] = await database.query<RunRow>(run, [connectionId]);
  if (found === undefined) return null;
  return { run: found, types: await database.query<TypeRow>(types, [found.id]) };
}
