import type { Logger } from 'moleculer';
import type { Database } from '../../../mixins/database/database.ts';
import { keepPayload } from '../../../mixins/jobs/job-outcomes.ts';
import type { Job, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import type { Call } from '../../../runtime/environment.ts';
import { startPeriodicTask } from '../../../runtime/jobs/periodic-task.ts';
import { erasureKind, purgeKind, type TokenRevocation, tokenRevocationKind } from '../rules/job-kinds.ts';
import { deleteOldErasedAccounts } from '../tables/accounts.ts';
import { foldConnectionChanges } from '../tables/connection-counts.ts';
import { selectClient } from '../tables/provider-clients.ts';
import { isNeedless } from '../tables/token-revocations.ts';
import { foldChanges, renewStatistics } from '../tables/user-list.ts';
import { eraseUser, type PurgeDeps, purgeConnection } from './erasure.ts';

const parallel = 4;
/** Deletes the hashes of erased accounts that have expired. */
const erasedAccounts = { name: 'users.erased_accounts', everyMs: 3_600_000 };

/** The handlers of the service's jobs. */
export function jobHandlers(deps: PurgeDeps): JobHandler[] {
  const purgeNeeds = ['timeseries.purge', 'deliveries.eraseAccounts'];
  return [
    jobHandler(erasureKind, ({ key }) => eraseUser(deps, key), { parallel }),
    jobHandler(purgeKind, ({ key }) => purgeConnection(deps, key), { parallel, needs: purgeNeeds }),
    jobHandler(tokenRevocationKind, (job) => revokeTokens(deps, job), {
      parallel,
      needs: ['connect.revokeAccess'],
    }),
    recurringHandler(erasedAccounts, async () => void (await deleteOldErasedAccounts(deps.database))),
  ];
}

/** Ends our access to an account at its provider, with retries for a day. The tokens are deleted with the job. */
export async function revokeTokens(
  { database, call }: { readonly database: Database; readonly call: Call },
  job: Job<TokenRevocation>,
): Promise<JobOutcome> {
  const { payload, created_at } = job;
  if (await isNeedless(database, payload, created_at)) return { kind: 'done' };
  const { provider_client_id, ...access } = payload;
  const client = provider_client_id === null ? null : await selectClient(database, provider_client_id);
  const { done, tokens } = await call('connect.revokeAccess', { ...access, client });
  if (done) return { kind: 'done' };
  if (tokens !== null) await keepPayload(database, job, { ...payload, ...tokens });
  return { kind: 'later', reason: 'NOT_REVOKED' };
}

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
