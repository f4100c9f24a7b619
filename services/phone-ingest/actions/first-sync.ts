import type { Backfill, BackfillType } from '../../../contracts/backfill.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type SyncTypeRow, selectSync } from '../tables/first-syncs.ts';

/** The first upload of all past data in the form of a backfill. @throws BACKFILL_NOT_FOUND (404) */
export async function firstSyncOf(database: Queryable, user_id: string): Promise<Backfill> {
  const firstSync = await selectSync(database, user_id);
  if (firstSync === null) throw new ServiceError('BACKFILL_NOT_FOUND');
  const { id, state, start_time, end_time, created_at, finished_at } = firstSync.sync;
  return {
    id,
    user_id,
    provider: 'phone',
    status: state,
    reason: state === 'stopped' ? 'The connection ended.' : null,
    start_time: formatInstant(start_time.getTime()),
    end_time: formatInstant(end_time.getTime()),
    created_at: formatInstant(created_at.getTime()),
    finished_at: instantOrNull(finished_at),
    types: firstSync.types.map(typeOf),
  };
}

function typeOf({ type, expected, sent, failed, started_at, ended_at }: SyncTypeRow): BackfillType {
  const isOver = ended_at !== null;
  return {
    type,
    status: !isOver ? 'requested' : failed ? 'failed' : 'received',
    reason: failed ? 'The app did not send all of it.' : null,
    requests: 1,
    requests_done: isOver ? 1 : 0,
    items: expected ?? sent ?? 0,
    saved: sent ?? 0,
    skipped: [],
    requested_at: formatInstant(started_at.getTime()),
    received_at: instantOrNull(ended_at),
  };
}
