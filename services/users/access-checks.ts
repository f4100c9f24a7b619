import type { Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import type { AccessAnswer } from '../../contracts/access-check.ts';
import type { Database } from '../../mixins/database.ts';
import { ProviderName, providers } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import { stopBackfill } from './connections.ts';
import { type AccessLease, claimAccessCheck } from './queries/access-checks.ts';
import { settleAccessCheck } from './settle-access-check.ts';

/** Dependencies of access checks. */
export interface Checking {
  readonly database: Database;
  readonly call: Call;
  readonly broker: ServiceBroker;
  readonly config: Config;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

const mostPerRound = 100;
const atOnce = 4;

const everyMs = 1000;

/**
 * Periodically asks providers about connections that an unauthenticated event changed, within the limits for reads, and
 * applies the answers. The row is the queue entry: if a process dies or stops, another process takes the check over.
 * Returns the function that stops the task.
 */
export function startAccessChecks(environment: Omit<Checking, 'stopping'>): () => Promise<void> {
  const closing = new AbortController();
  const checking = { ...environment, stopping: closing.signal };
  const work = async () => {
    await Promise.all(ProviderName.options.map((provider) => checkAccounts(checking, provider)));
  };
  const stop = startPeriodicTask({ name: 'users.access_checks', everyMs, work, logger: environment.logger });
  return () => {
    closing.abort();
    return stop();
  };
}

async function checkAccounts(checking: Checking, provider: ProviderName): Promise<void> {
  const { registry } = checking.broker;
  if (!registry.actions.isAvailable(`${providers[provider].accessCheck.service}.checkAccess`)) return;
  let left = mostPerRound;
  const worker = async () => {
    while (left > 0 && !checking.stopping.aborted) {
      left -= 1;
      const lease = await claim(checking, provider);
      if (lease === undefined) return;
      await checkOne(checking, provider, lease);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function claim({ database, config }: Checking, provider: ProviderName): Promise<AccessLease | undefined> {
  const limit = providers[provider].accessCheck.readsPerHour(config);
  return database.transaction((transaction) => claimAccessCheck(transaction, provider, limit));
}

async function checkOne(checking: Checking, provider: ProviderName, lease: AccessLease): Promise<void> {
  const { database, call, logger } = checking;
  const { connection_id, user_id, about } = lease;
  const answer = await unlessStopping(checking.stopping, ask(checking, provider, lease));
  if (answer === null) return;
  const outcome = await settleAccessCheck(database, { lease, provider, answer });
  logger.info('access.checked', { provider, connection_id, user_id, about, access: answer.access, outcome });
  if (outcome === 'ended') await stopBackfill(call, connection_id);
}

async function ask(
  { call, logger }: Checking,
  provider: ProviderName,
  { user_id, about, connection_id }: AccessLease,
): Promise<AccessAnswer> {
  try {
    return await call(`${providers[provider].accessCheck.service}.checkAccess`, { user_id, provider, about });
  } catch (error) {
    logger.warn('access.not_checked', { provider, connection_id, code: codeOf(error) });
    return { access: 'unknown', scope: null };
  }
}

// A shutdown does not wait for a provider's answer: the lease expires, and another process repeats the read.
function unlessStopping<T>(stopping: AbortSignal, work: Promise<T>): Promise<T | null> {
  const { promise, resolve, reject } = Promise.withResolvers<T | null>();
  const stop = () => resolve(null);
  stopping.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject).finally(() => stopping.removeEventListener('abort', stop));
  return promise;
}
