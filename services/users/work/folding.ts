import type { Logger } from 'moleculer';
import type { Database } from '../../../mixins/database/database.ts';
import { startPeriodicTask } from '../../../runtime/jobs/periodic-task.ts';
import { foldConnectionChanges } from '../tables/connection-counts.ts';
import { foldChanges, renewStatistics } from '../tables/user-list.ts';

const everyMs = 2000;
/** A fold reads all users. The pause after it is nine times its duration, so folding takes at most a tenth of the time. */
const restFactor = 9;

/**
 * Folds the changes of the list in the background. Afterwards the list and the planner's statistics contain no former
 * names or addresses of users and none of erased users. Returns the function that stops the task.
 */
export function startFolding(database: Database, logger: Logger): () => Promise<void> {
  let restsUntil = 0;
  const work = async () => {
    const began = performance.now();
    if (began < restsUntil) return;
    await foldConnectionChanges(database);
    const isFolded = await foldChanges(database);
    const isRenewed = await renewStatistics(database);
    if (!isFolded && !isRenewed) return;
    const tookMs = performance.now() - began;
    restsUntil = performance.now() + restFactor * tookMs;
    logger.debug('users.list_folded', { took_ms: Math.round(tookMs) });
  };
  return startPeriodicTask({ name: 'users.folding', everyMs, work, logger });
}
