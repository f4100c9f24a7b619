import { createHash } from 'node:crypto';
import type { Config } from '../../config.ts';
import { errorTable, ServiceError } from '../../domain/errors.ts';
import type { Queryable } from '../../mixins/database.ts';
import type { Meta } from '../../runtime/environment.ts';
import {
  type AttemptWindow,
  type ChargedAttempt,
  chargeAttempt,
  refundAttempt,
} from './queries/charge-attempt.ts';

const minuteSeconds = 60;
const hourSeconds = 3600;

/** Dependencies of counting attempts. */
export interface Attempting {
  readonly database: Queryable;
  readonly meta: Meta;
  readonly config: Pick<Config, 'RATE_LIMIT_FAILURES' | 'RATE_LIMIT_ACCOUNT_FAILURES'>;
}

/**
 * The priority of an attempt in the hashing queue. `tries`: the number of attempts of its account or its address,
 * whichever is larger. `isKnown`: this address has logged in to this account before.
 */
export interface AttemptPriority {
  readonly address: string;
  readonly tries: number;
  readonly isKnown: boolean;
}

/** The priority of work for a caller with a credential, and of internal work. */
export const trustedPriority: AttemptPriority = { address: '', tries: 0, isKnown: true };

/**
 * Runs an attempt to use a credential. It is counted before the work begins, so that concurrent attempts cannot exceed the
 * limit, and the count is refunded unless the attempt fails. The count of an address is exact over all gateways. If an
 * `account` had too many failures, each address may still try once a minute, so that its owner is not locked out.
 * @throws RATE_LIMITED (429)
 */
export async function countAttempt<T>(
  { database, meta, config }: Attempting,
  account: string | null,
  work: (priority: AttemptPriority) => Promise<T>,
): Promise<T> {
  const { address } = meta;
  if (address === undefined) return work(trustedPriority);
  const ofAddress = windowOf(`address:${address}`, config.RATE_LIMIT_FAILURES, minuteSeconds);
  const charged = await chargeAttempt(database, ofAddress);
  if (charged === null) throw limited(ofAddress);
  const counted: Counted[] = [[ofAddress, charged]];
  let { count: tries } = charged;
  if (account !== null) {
    const ofAccount = windowOf(`account:${account}`, config.RATE_LIMIT_ACCOUNT_FAILURES, hourSeconds);
    const failed = await chargeAttempt(database, ofAccount);
    if (failed === null && charged.count > 1) throw limited(ofAddress);
    if (failed !== null) counted.push([ofAccount, failed]);
    tries = Math.max(tries, failed?.count ?? ofAccount.limit);
  }
  return refundUnlessFailed(database, counted, () => work({ address, tries, isKnown: false }));
}

type Counted = readonly [AttemptWindow, ChargedAttempt];

async function refundUnlessFailed<T>(
  database: Queryable,
  counted: readonly Counted[],
  work: () => Promise<T>,
): Promise<T> {
  const refund = async () => {
    for (const [window, charged] of counted) await refundAttempt(database, window, charged);
  };
  try {
    const result = await work();
    await refund();
    return result;
  } catch (error) {
    if (!(error instanceof ServiceError) || errorTable[error.type].status >= 500) await refund();
    throw error;
  }
}

// Addresses and e-mail addresses are stored as hashes only.
function windowOf(name: string, limit: number, seconds: number): AttemptWindow {
  const hash = createHash('sha256').update(name).digest('hex');
  const subject = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return { subject, limit, seconds };
}

function limited({ limit }: AttemptWindow): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many requests: ${limit} a minute. Try again in 60 seconds.`, {
    headers: { 'Retry-After': String(minuteSeconds), 'X-RateLimit-Remaining': '0' },
  });
}
