import type { activitynetIngest } from '../../../contracts/activitynet-ingest.ts';
import type { Backfill, BackfillType, StepStatus } from '../../../contracts/backfill.ts';
import { accessReasons } from '../../../domain/access-reasons.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type BackfillRow, cancelBackfill, insertBackfill, selectBackfill } from '../tables/listings.ts';

/** Dependencies of the backfill actions. */
interface BackfillDeps {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/**
 * Starts a backfill run of a connection.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404), CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN, BACKFILL_RUNNING
 * (409)
 */
export async function startBackfillRun(
  { database, call, origin }: BackfillDeps,
  { user_id, start_ms, end_ms }: ParamsOf<typeof activitynetIngest, 'startBackfill'>,
): Promise<Backfill> {
  const tokens = await call('users.tokens', { user_id, provider: 'activitynet' });
  if (tokens.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (tokens.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id } = tokens;
  const run = { user_id, connection_id, start_ms, end_ms };
  await database.transaction(async (transaction) => {
    if (!(await insertBackfill(transaction, run))) throw new ServiceError('BACKFILL_RUNNING');
    await recordAudit(transaction, origin, {
      ...entryOf(user_id, connection_id),
      action: 'backfill.started',
    });
  });
  return show(database, connection_id);
}

/** The progress of the newest run. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function getBackfillRun(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  userId: string,
): Promise<Backfill> {
  return show(database, await connectionOf(call, userId));
}

/** Cancels the run in progress. A finished run does not change. @throws as getBackfillRun */
export async function cancelBackfillRun(
  { database, call, origin }: BackfillDeps,
  userId: string,
): Promise<Backfill> {
  const connectionId = await connectionOf(call, userId);
  await database.transaction(async (transaction) => {
    if (!(await cancelBackfill(transaction, connectionId))) return;
    await recordAudit(transaction, origin, {
      ...entryOf(userId, connectionId),
      action: 'backfill.cancelled',
    });
  });
  return show(database, connectionId);
}

function entryOf(userId: string, subjectId: string) {
  return { userId, subjectId, details: { provider: 'activitynet' } };
}

async function connectionOf(call: Call, user_id: string): Promise<string> {
  return (await call('users.tokens', { user_id, provider: 'activitynet' })).connection_id;
}

async function show(database: Database, connectionId: string): Promise<Backfill> {
  const row = await selectBackfill(database, connectionId);
  if (row === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  return toBackfill(row);
}

/** Texts for the reason codes that a client may see. */
const sentences: Readonly<Record<string, string>> = {
  ...accessReasons,
  USER_GONE: 'The user was deleted.',
};

/** The wire form of a backfill run. It has one type. Its requests count list pages and activities. */
function toBackfill(row: BackfillRow): Backfill {
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
