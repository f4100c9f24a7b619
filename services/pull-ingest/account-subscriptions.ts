import { isError } from '../../domain/errors.ts';
import type { AccountSubscription } from '../../domain/provider/pulled-provider.ts';
import { pullOf } from '../../providers/all.ts';
import { addressOf } from './address.ts';
import { pulledNamed } from './pulled.ts';
import {
  claimSubscribing,
  deleteUser,
  noteSubscribed,
  type PulledConnection,
} from './queries/connections.ts';
import { type Account, sendRequest } from './send-request.ts';
import type { ReadingDeps } from './work-reading.ts';

const perPart = 10;

/** Checks the subscriptions of connections that are due. Returns whether more may be due. */
export async function accountSubscriptions(deps: ReadingDeps, signal: AbortSignal): Promise<boolean> {
  const due = await claimSubscribing(deps.database, perPart);
  for (const connection of due) await check(deps, connection, signal);
  return due.length === perPart;
}

// Without success the connection is due again in five minutes.
async function check(
  deps: ReadingDeps,
  { connection_id, provider, user_id }: PulledConnection,
  signal: AbortSignal,
): Promise<void> {
  const name = pulledNamed(provider);
  const subscription = name === undefined ? null : pullOf(name).subscription;
  if (name === undefined || subscription?.of !== 'account')
    return noteSubscribed(deps.database, connection_id, longestMs);
  const account: Account = { provider: name, connection_id, user_id };
  const outcome = await complete(deps, subscription, account, signal).catch((error: unknown) => {
    if (isError(error, 'USER_NOT_FOUND')) return userGone;
    throw error;
  });
  if (outcome === userGone) await deleteUser(deps.database, user_id, null);
  deps.logger.info('pull.subscribed', { provider, connection_id, outcome });
  if (outcome === 'done') await noteSubscribed(deps.database, connection_id, subscription.everyMs);
}

const userGone = 'USER_GONE';
const longestMs = 30 * 86_400_000;

async function complete(
  deps: ReadingDeps,
  subscription: AccountSubscription,
  account: Account,
  signal: AbortSignal,
): Promise<string> {
  const { config, call } = deps;
  const { user_id, provider } = account;
  const { scope } = await call('users.connection', { user_id, provider });
  const address = addressOf(config, provider);
  if (address === null) return 'NO_ADDRESS';
  const listed = await sendRequest(deps, account, subscription.list(config, address), signal);
  if (listed.kind !== 'reply') return listed.kind;
  const missing = subscription.missing(config, listed.reply, { address, scope });
  if (missing === null) return 'UNREADABLE';
  for (const request of missing) {
    const sent = await sendRequest(deps, account, request, signal);
    if (sent.kind !== 'reply') return sent.kind;
  }
  return 'done';
}
