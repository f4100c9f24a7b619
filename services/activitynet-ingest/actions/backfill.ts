import type { activitynetIngest } from '../../../contracts/activitynet-ingest.ts';
import type { Backfill, BackfillType, StepStatus } from '../../../contracts/backfill.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import {
  type BackfillDeps,
  beginBackfill,
  connectionIdOf,
  endBackfill,
  readingReason,
} from '../../../mixins/backfill-runs.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type BackfillRow, cancelBackfill, insertBackfill, selectBackfill } from '../tables/listings.ts';

const provider = 'activitynet';

/** Starts a backfill run of a connection. @throws as beginBackfill */
export async function startBackfillRun(
  deps: BackfillDeps,
  { user_id, start_ms, end_ms }: ParamsOf<typeof activitynetIngest, 'startBackfill'>,
): Promise<Backfill> {
  const connectionId = await beginBackfill(deps, { user_id, provider }, (transaction, { connection_id }) =>
    insertBackfill(transaction, { user_id, connection_id, start_ms, end_ms }),
  );
  return show(deps.database, connectionId);
}

/** The progress of the newest run. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function getBackfillRun(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  user_id: string,
): Promise<Backfill> {
  return show(database, await connectionIdOf(call, { user_id, provider }));
}

/** Cancels the run in progress. A finished run does not change. @throws as getBackfillRun */
export async function cancelBackfillRun(deps: BackfillDeps, user_id: string): Promise<Backfill> {
  return show(deps.database, await endBackfill(deps, { user_id, provider }, cancelBackfill));
}

async function show(database: Database, connectionId: string): Promise<Backfill> {
  const row = await selectBackfill(database, connectionId);
  if (row === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  return toBackfill(row);
}

/** The wire form of a backfill run. It has one type. Its requests count list pages and activities. */
function toBackfill(row: BackfillRow): Backfill {
  const isOpen = row.state === 'listing' || row.state === 'fetching';
  return {
    id: row.id,
    user_id: row.user_id,
    provider,
    status: row.state === 'listing' || row.state === 'fetching' ? 'running' : row.state,
    reason: isOpen ? null : readingReason(row.reason),
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
    skipped: [],
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
