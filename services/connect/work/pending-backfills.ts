import type { Logger } from 'moleculer';
import { z } from 'zod';
import { isError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  cancelJob,
  enqueue,
  type Job,
  type JobKind,
  type JobOutcome,
} from '../../../mixins/jobs/job-queue.ts';
import { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';

const PendingBackfill = z.object({ user_id: z.uuid(), provider: ProviderName });
/** A connection whose backfill is still to be started. */
type PendingBackfill = z.infer<typeof PendingBackfill>;

/** Starts the backfill of a new connection if the callback did not. */
export const backfillKind: JobKind<PendingBackfill> = { name: 'connect.backfill', payload: PendingBackfill };

const keyOf = ({ user_id, provider }: PendingBackfill) => `${user_id}:${provider}`;
/** The callback starts the backfill within this time and cancels the job. */
const delayMs = 20_000;

/** Enqueues the start of a backfill. */
export function enqueueBackfill(database: Queryable, backfill: PendingBackfill): Promise<void> {
  return enqueue(database, backfillKind, { key: keyOf(backfill), payload: backfill, delayMs });
}

/** Cancels the start of a backfill that was started or is no longer needed. */
export function cancelBackfill(database: Queryable, backfill: PendingBackfill): Promise<void> {
  return cancelJob(database, backfillKind, keyOf(backfill));
}

interface StartDeps {
  readonly call: Call;
  readonly logger: Logger;
}

// Errors after which a retry cannot succeed.
const permanentErrors = [
  'BACKFILL_RUNNING',
  'NOT_IMPLEMENTED',
  'USER_NOT_FOUND',
  'CONNECTION_NOT_FOUND',
  'CONNECTION_INACTIVE',
  'CONNECTION_WITHOUT_TOKEN',
] as const;
const mostMs = 24 * 3_600_000;

/** Starts a backfill in the callback. A failure does not affect the connection: the job starts the backfill. */
export async function startBackfill(
  deps: StartDeps & { readonly database: Queryable },
  backfill: PendingBackfill,
): Promise<void> {
  if ((await start(deps, backfill)) === null) await cancelBackfill(deps.database, backfill);
}

/** Starts a backfill that the callback did not start. The start is retried for a day. */
export async function startPendingBackfill(
  deps: StartDeps,
  { payload, created_at }: Pick<Job<PendingBackfill>, 'payload' | 'created_at'>,
): Promise<JobOutcome> {
  if (Date.now() - created_at.getTime() > mostMs) return { kind: 'done' };
  const reason = await start(deps, payload);
  return reason === null ? { kind: 'done' } : { kind: 'later', reason };
}

/** Starts a backfill. Returns the code of a failure after which a retry can succeed. */
async function start({ call, logger }: StartDeps, backfill: PendingBackfill): Promise<string | null> {
  try {
    await call('backfill.start', backfill, { timeout: 4000 });
    return null;
  } catch (error) {
    const isSettled = permanentErrors.some((type) => isError(error, type));
    const code = codeOf(error);
    logger.info('connect.backfill_not_started', { ...backfill, code, isSettled });
    return isSettled ? null : code;
  }
}
