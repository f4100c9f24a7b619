import type { Backfill, BackfillType, StepStatus } from '../../contracts/backfill.ts';
import { formatInstant } from '../../domain/time.ts';
import type { HistoryRow } from './queries/history-runs.ts';

/** Codes that an owner may read, in words. */
const sentences: Readonly<Record<string, string>> = {
  CONNECTION_GONE: 'The connection has ended.',
  TOKEN_REFUSED: 'The provider refuses the token of this connection.',
  TOKEN_MISSING: 'The connection has no access token.',
  USER_GONE: 'The user was deleted.',
};

/** A history run as the wire has it: one type, whose requests are pages of the list and activities alike. */
export function toBackfill(row: HistoryRow): Backfill {
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

function toType(row: HistoryRow): BackfillType {
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

function statusOf({ state, pages }: HistoryRow): StepStatus {
  if (state === 'done') return 'received';
  if (state === 'failed') return 'failed';
  if (state === 'cancelled' || state === 'stopped') return 'skipped';
  return pages === 0 ? 'waiting' : 'requested';
}

function instantOrNull(date: Date | null): string | null {
  return date === null ? null : formatInstant(date.getTime());
}
