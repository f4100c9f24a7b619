import { type JobHandler, jobHandler, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { revokeTokens } from './connections/revoke-tokens.ts';
import { eraseUser } from './erasure/erasure.ts';
import { type PurgeDeps, purgeConnection } from './erasure/purges.ts';
import { erasureKind, purgeKind, tokenRevocationKind } from './job-kinds.ts';
import { deleteOldErasedAccounts } from './queries/erased-accounts.ts';

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
