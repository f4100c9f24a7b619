import type { Logger } from 'moleculer';
import { isError } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { claimHistory, dropHistory, type WantedHistory } from './queries/history.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

// What these say stays true however often it is asked.
const settled = [
  'BACKFILL_RUNNING',
  'NOT_IMPLEMENTED',
  'USER_NOT_FOUND',
  'CONNECTION_NOT_FOUND',
  'CONNECTION_INACTIVE',
  'CONNECTION_WITHOUT_TOKEN',
] as const;

/** Has the history of a connection asked for. That it fails never breaks a connect: the rounds try again for a day. */
export async function askForHistory(deps: Deps, wanted: WantedHistory): Promise<void> {
  const { database, call, logger } = deps;
  try {
    await call('backfill.start', wanted, { timeout: 4000 });
  } catch (error) {
    const isSettled = settled.some((type) => isError(error, type));
    logger.info('connect.history_not_started', { ...wanted, code: codeOf(error), isSettled });
    if (!isSettled) return;
  }
  await dropHistory(database, wanted);
}

/** Asks for histories that could not be asked for when their connection was made. */
export async function resumeHistories(deps: Deps): Promise<void> {
  for (const wanted of await claimHistory(deps.database)) await askForHistory(deps, wanted);
}
