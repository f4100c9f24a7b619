import type { Queryable } from '../../../mixins/database/database.ts';
import type { Reason } from '../reasons.ts';

const ended = `
with ended as (
  update backfill.run set state = $2, reason = $3, finished_at = now(), asking = false
  where connection_id = $1 and state = 'running' returning id),
closed as (
  update backfill.step s set state = 'skipped', reason = 'ENDED', deadline = null
  from ended where s.run_id = ended.id and s.state in ('waiting', 'requested'))
select id from ended`;

/** Ends the backfill of a connection early; false if none is running. */
export async function endRun(
  database: Queryable,
  connectionId: string,
  state: 'cancelled' | 'stopped' | 'failed',
  reason: Reason | null,
): Promise<boolean> {
  return (await database.query(ended, [connectionId, state, reason])).length > 0;
}

const finished = `
update backfill.run r set finished_at = now(), asking = false,
  state = case when s.all_failed then 'failed' else 'done' end,
  reason = case when s.all_failed then 'ALL_FAILED' end
from (select bool_and(state = 'failed') as all_failed from backfill.step where run_id = $1) s
where r.id = $1`;

/** Ends a backfill without open steps; its state is `failed` if every step failed. */
export async function finishRun(transaction: Queryable, runId: string): Promise<void> {
  await transaction.query(finished, [runId]);
}
