import type { CallingOptions, Logger } from 'moleculer';
import { isError } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { callOn } from '../../runtime/lifecycle.ts';
import { releaseHeld, selectHeld } from './queries/held-deliveries.ts';
import { claimRestoration, finishRestoration, type Restoration } from './queries/restorations.ts';

interface Restoring {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

const mostPerRound = 20;
const mostReplays = 500;
/** The instant is stored in milliseconds, rounded. */
const roundingMs = 1;
const patience: CallingOptions = { timeout: 4000, retries: 0 };

/**
 * Resumes the work of connections whose ending was contradicted: the backfill continues, dropped fetches are queued again,
 * and the deliveries that were held are replayed. Every step is idempotent.
 */
export async function resumeRestored(restoring: Restoring): Promise<void> {
  for (let done = 0; done < mostPerRound; done += 1) {
    const restoration = await claimRestoration(restoring.database);
    if (restoration === undefined) return;
    const isDone = await resume(restoring, restoration);
    await finishRestoration(restoring.database, restoration, isDone);
  }
}

async function resume(restoring: Restoring, { connection_id, since }: Restoration): Promise<boolean> {
  const resumed = { connection_id, since: new Date(since.getTime() - roundingMs).toISOString() };
  const [elsewhere, held] = await Promise.all([
    callOn(restoring.call, { event: 'connectionRestored', params: resumed }, patience),
    Promise.allSettled([replayHeld(restoring, connection_id)]),
  ]);
  const results = [...elsewhere, ...held];
  for (const result of results)
    if (result.status === 'rejected')
      restoring.logger.warn('connection.not_resumed', { connection_id, code: codeOf(result.reason) });
  return results.every((result) => result.status === 'fulfilled' && result.value !== false);
}

/** Replays the held deliveries of a connection; false if one of them is being processed, or more are left. */
async function replayHeld({ database, call }: Restoring, connectionId: string): Promise<boolean> {
  const ids = await selectHeld(database, connectionId, mostReplays);
  let isDone = ids.length < mostReplays;
  for (const id of ids) {
    if (await replay(call, id)) await releaseHeld(database, connectionId, id);
    else isDone = false;
  }
  return isDone;
}

const finals = ['DELIVERY_NOT_FOUND', 'DELIVERY_ERASED'] as const;
const meta = { actor: 'system:users' };

async function replay(call: Call, delivery_id: string): Promise<boolean> {
  try {
    await call('deliveries.replay', { delivery_id }, { ...patience, meta });
    return true;
  } catch (error) {
    if (isError(error, 'DELIVERY_IN_WORK')) return false;
    if (finals.some((type) => isError(error, type))) return true;
    throw error;
  }
}
