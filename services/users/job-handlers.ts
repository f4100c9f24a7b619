import { type JobHandler, jobHandler } from '../../mixins/jobs.ts';
import { eraseUser } from './erasure.ts';
import {
  erasedAccountsKind,
  erasureKind,
  purgeKind,
  restorationKind,
  tokenRevocationKind,
} from './job-kinds.ts';
import { type PurgeDeps, purgeConnection } from './purges.ts';
import { deleteOldErasedAccounts } from './queries/erased-accounts.ts';
import { type RestorationDeps, resumeRestored } from './restorations.ts';
import { revokeTokens } from './revoke-tokens.ts';

const parallel = 4;

/** The handlers of the service's jobs. */
export function jobHandlers(deps: PurgeDeps & RestorationDeps): JobHandler[] {
  const purgeNeeds = ['timeseries.purge', 'deliveries.eraseAccounts'];
  return [
    jobHandler(erasureKind, ({ key }) => eraseUser(deps, key), { parallel }),
    jobHandler(purgeKind, ({ key }) => purgeConnection(deps, key), { parallel, needs: purgeNeeds }),
    jobHandler(restorationKind, (job, held) => resumeRestored(deps, job, held), { parallel }),
    jobHandler(tokenRevocationKind, (job) => revokeTokens(deps, job), {
      parallel,
      needs: ['connect.revokeAccess'],
    }),
    jobHandler(erasedAccountsKind, async () => {
      await deleteOldErasedAccounts(deps.database);
      return { kind: 'done' };
    }),
  ];
}
