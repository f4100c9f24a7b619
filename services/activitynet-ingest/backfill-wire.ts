import type { Backfill, BackfillType, StepStatus } from '../../contracts/backfill.ts';
import { accessReasons } from '../../domain/access-reasons.ts';
import { formatInstant, instantOrNull } from '../../domain/time/time.ts';
import type { BackfillRow } from './queries/backfill-runs.ts';

/** Texts for the reason codes that a client may see. */
const sentences: Readonly<Record<string, string>> = {
  ...accessReasons,
  USER_GONE: 'The user was deleted.',
};

/** The wire form of a backfill run. It has one type. Its requests count list pages and activities. */
export function toBackfill(row: BackfillRow): Backfill {
  const isOpen = row.state === 'listing' || row.state === 'fetching';
  return {
    id: row.id,
    user_id: row.user_id,
    provider: 'activitynet',
    status: row.state === 'listing' || row.state === 'fetching' ? 'running' : row.state,
    reason:
      isOpen || row.reason === null ? null : (sentences[row.reason] ?? `The provider said ${row.reason}.`),
    start_time: formatInstant(row.start_time.getTime()),
    end_time: formatInstant(row.end_time.getTime()),
    created_at: formatInstant(row.created_at.getTime()),
    finished_at: instantOrNull(row.finished_at),
    types: [toType(row)],
  };
}

function toType(row: BackfillRow): BackfillType {
  const stillToList = row.state === 'listing' ? 1 : 0;
  return {
    type: 'activities',
    status: statusOf(row),
    reason: null,
    requests: row.pages + stillToList + row.found,
    requests_done: row.pages + row.found - row.waiting,
    items: row.found,
    saved: row.found - row.waiting,
    requested_at: row.pages === 0 ? null : formatInstant(row.created_at.getTime()),
    received_at: instantOrNull(row.last_fetched_at),
  };
}

function statusOf({ state, pages }: BackfillRow): StepStatus {
  if (state === 'done') return 'received';
  if (state === 'failed') return 'failed';
  if (state === 'cancelled' || state === 'stopped') return 'skipped';
  return pages === 0 ? 'waiting' : 'requested';
}
