import type { Backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import { recordAudit } from '../../mixins/audit.ts';
import type { Database } from '../../mixins/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { toBackfill } from './history-wire.ts';
import { cancelHistory, insertHistory, selectHistory } from './queries/history-runs.ts';

/** What history takes. */
export interface Histories {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/** Whose history, of which span. */
export interface Wish {
  readonly user_id: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

/**
 * Begins a history run of a connection.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404), CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN,
 * BACKFILL_RUNNING (409)
 */
export async function beginHistory({ database, call, origin }: Histories, wish: Wish): Promise<Backfill> {
  const { user_id, start_ms, end_ms } = wish;
  const held = await call('users.tokens', { user_id, provider: 'activitynet' });
  if (held.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (held.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id, connected_at } = held;
  const run = { user_id, connection_id, connected_at, start_ms, end_ms };
  await database.transaction(async (transaction) => {
    if (!(await insertHistory(transaction, run))) throw new ServiceError('BACKFILL_RUNNING');
    await recordAudit(transaction, origin, {
      ...entryOf(user_id, connection_id),
      action: 'backfill.started',
    });
  });
  return show(database, connection_id);
}

/** How far the newest run is. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function showHistory(
  { database, call }: Pick<Histories, 'database' | 'call'>,
  userId: string,
): Promise<Backfill> {
  return show(database, await connectionOf(call, userId));
}

/** Cancels what is under way; one that ended stays as it is. @throws as showHistory */
export async function endHistory({ database, call, origin }: Histories, userId: string): Promise<Backfill> {
  const connectionId = await connectionOf(call, userId);
  await database.transaction(async (transaction) => {
    if (!(await cancelHistory(transaction, connectionId))) return;
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
  const row = await selectHistory(database, connectionId);
  if (row === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  return toBackfill(row);
}
