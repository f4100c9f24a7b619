import type { Backfill, BackfillType, StepStatus } from '../../contracts/backfill.ts';
import { formatInstant, instantOrNull } from '../../domain/time/time.ts';
import type { RunRow, TypeRow } from './queries/select-run.ts';
import { sentenceOf } from './reasons.ts';

/** The wire format of a backfill's rows. */
export function toBackfill({ run, types }: { run: RunRow; types: readonly TypeRow[] }): Backfill {
  return {
    id: run.id,
    user_id: run.user_id,
    provider: run.provider,
    status: run.state,
    reason: sentenceOf(run.reason),
    start_time: formatInstant(run.start_time.getTime()),
    end_time: formatInstant(run.end_time.getTime()),
    created_at: formatInstant(run.created_at.getTime()),
    finished_at: instantOrNull(run.finished_at),
    types: types.map(toType),
  };
}

function toType(row: TypeRow): BackfillType {
  return {
    type: row.type,
    status: statusOf(row.states),
    reason: sentenceOf(row.reason),
    requests: row.requests,
    requests_done: row.requests_done,
    items: row.items,
    saved: row.saved,
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

/** The status of a type from those of its requests: open ones first, then the worst outcome that matters. */
function statusOf(states: readonly StepStatus[]): StepStatus {
  const has = (state: StepStatus) => states.includes(state);
  if (has('requested')) return 'requested';
  if (has('waiting')) return states.some((state) => state !== 'waiting') ? 'requested' : 'waiting';
  if (has('failed')) return 'failed';
  return has('received') ? 'received' : 'skipped';
}
