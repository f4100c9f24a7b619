import { createHash } from 'node:crypto';
import type { Config } from '../../config.ts';
import { errorTable, ServiceError } from '../../domain/errors.ts';
import type { Queryable } from '../../mixins/database.ts';
import type { Meta } from '../../runtime/environment.ts';
import {
  type AttemptWindow,
  type ChargedAttempt,
  chargeAttempt,
  giveBackAttempt,
} from './queries/charge-attempt.ts';

const minuteSeconds = 60;
const hourSeconds = 3600;

/** What attempts are counted with. */
export interface Attempting {
  readonly database: Queryable;
  readonly meta: Meta;
  readonly config: Pick<Config, 'RATE_LIMIT_FAILURES' | 'RATE_LIMIT_ACCOUNT_FAILURES'>;
}

/**
 * How an attempt takes its turn: `tries` is how often its account or its address was tried, whichever is more. `isKnown`
 * says that somebody has logged in to this account from this address.
 */
export interface Turn {
  readonly address: string;
  readonly tries: number;
  readonly isKnown: boolean;
}

/** The turn of work that a caller with a credential asks for, or that the product does by itself. */
export const trustedTurn: Turn = { address: '', tries: 0, isKnown: true };

/**
 * Runs an attempt to use a credential. It is counted before the work begins, so attempts side by side cannot pass the
 * limit, and given back unless it fails. The count of an address is exact over all gateways. Of an `account` that
 * failed too often, an address may try once a minute: nobody is locked out of it.
 * @throws RATE_LIMITED (429)
 */
export async function countAttempt<T>(
  { database, meta, config }: Attempting,
  account: string | null,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const { address } = meta;
  if (address === undefined) return work(trustedTurn);
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
  return giveBackUnlessFailed(database, counted, () => work({ address, tries, isKnown: false }));
}

type Counted = readonly [AttemptWindow, ChargedAttempt];

async function giveBackUnlessFailed<T>(
  database: Queryable,
  counted: readonly Counted[],
  work: () => Promise<T>,
): Promise<T> {
  const giveBack = async () => {
    for (const [window, charged] of counted) await giveBackAttempt(database, window, charged);
  };
  try {
    const result = await work();
    await giveBack();
    return result;
  } catch (error) {
    if (!(error instanceof ServiceError) || errorTable[error.type].status >= 500) await giveBack();
    throw error;
  }
}

// Only a hash is kept of an address or an e-mail.
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
