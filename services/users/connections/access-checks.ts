import type { Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { AccessAnswer } from '../../../contracts/access-check.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type ProviderName, providerNames, providers } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { type JobSource, startJobWorker } from '../../../runtime/jobs/job-worker.ts';
import { type AccessLease, accessLeaseMs, claimAccessCheck, isCheckDue } from '../queries/access-checks.ts';
import { stopBackfill } from './connections.ts';
import { settleAccessCheck } from './settle-access-check.ts';

/** Dependencies of access checks. */
export interface CheckDeps {
  readonly database: Database;
  readonly call: Call;
  readonly broker: ServiceBroker;
  readonly config: Config;
  readonly logger: Logger;
}

/** The checks of a provider that has some. */
type Checked = NonNullable<(typeof providers)[ProviderName]['accessCheck']>;

const parallel = 4;
const pollMs = 1000;

/**
 * Asks providers about connections that an unauthenticated event changed, within the limits for reads, and applies the
 * answers. The row of users.access_check is the job. Returns the function that stops the workers, one for each provider.
 */
export function startAccessChecks(deps: CheckDeps): () => Promise<void> {
  const workers = providerNames.flatMap((provider) => {
    const { accessCheck } = providers[provider];
    return accessCheck === null ? [] : [startJobWorker(sourceOf(deps, provider, accessCheck), deps)];
  });
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}

function sourceOf(
  deps: CheckDeps,
  provider: ProviderName,
  { service, readsPerHour }: Checked,
): JobSource<AccessLease> {
  const { database, config } = deps;
  const limit = readsPerHour(config);
  return {
    name: 'users.access_check',
    leaseMs: accessLeaseMs,
    pollMs,
    parallel,
    needs: [`${service}.checkAccess`],
    due: { database, condition: () => isCheckDue(provider) },
    claim: async () => {
      const lease = await database.transaction((transaction) =>
        claimAccessCheck(transaction, provider, limit),
      );
      return lease === undefined ? [] : [lease];
    },
    // A read ends before its lease does. The answer is fenced by the attempt.
    extend: async () => true,
    work: (lease, { signal }) => check(deps, { provider, service }, lease, signal),
  };
}

interface Asked {
  readonly provider: ProviderName;
  readonly service: Checked['service'];
}

async function check(
  deps: CheckDeps,
  { provider, service }: Asked,
  lease: AccessLease,
  signal: AbortSignal,
): Promise<string> {
  const { database, call, logger } = deps;
  const { connection_id, user_id, about } = lease;
  const answer = await unlessAborted(signal, ask(deps, { provider, service }, lease));
  if (answer === null) return 'stopped';
  const outcome = await settleAccessCheck(database, { lease, provider, answer });
  logger.info('access.checked', { provider, connection_id, user_id, about, access: answer.access, outcome });
  if (outcome === 'ended') await stopBackfill(call, connection_id);
  return outcome;
}

async function ask(
  { call, logger }: CheckDeps,
  { provider, service }: Asked,
  { user_id, about, connection_id }: AccessLease,
): Promise<AccessAnswer> {
  try {
    return await call(`${service}.checkAccess`, { user_id, provider, about });
  } catch (error) {
    logger.warn('access.not_checked', { provider, connection_id, code: codeOf(error) });
    return { access: 'unknown', scope: null };
  }
}

// A shutdown does not wait for a provider's answer: the lease expires, and another process repeats the read.
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | null> {
  const { promise, resolve, reject } = Promise.withResolvers<T | null>();
  const stop = () => resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}
