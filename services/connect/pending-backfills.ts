import type { Logger } from 'moleculer';
import { isError } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import {
  claimPendingBackfills,
  deletePendingBackfill,
  type PendingBackfill,
} from './queries/store-pending-backfills.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

// Errors after which a retry cannot succeed.
const settled = [
  'BACKFILL_RUNNING',
  'NOT_IMPLEMENTED',
  'USER_NOT_FOUND',
  'CONNECTION_NOT_FOUND',
  'CONNECTION_INACTIVE',
  'CONNECTION_WITHOUT_TOKEN',
] as const;

/** Starts the backfill of a new connection. A failure does not affect the connection: the start is retried for a day. */
export async function startBackfill(deps: Deps, wanted: PendingBackfill): Promise<void> {
  const { database, call, logger } = deps;
  try {
    await call('backfill.start', wanted, { timeout: 4000 });
  } catch (error) {
    const isSettled = settled.some((type) => isError(error, type));
    logger.info('connect.backfill_not_started', { ...wanted, code: codeOf(error), isSettled });
    if (!isSettled) return;
  }
  await deletePendingBackfill(database, wanted);
}

/** Starts the backfills that could not be started when their connection was created. */
export async function startPendingBackfills(deps: Deps): Promise<void> {
  for (const wanted of await claimPendingBackfills(deps.database)) await startBackfill(deps, wanted);
}
