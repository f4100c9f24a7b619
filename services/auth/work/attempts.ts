import { createHash } from 'node:crypto';
import type { Config } from '../../../config.ts';
import { errorTable, ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import {
  type AttemptWindow,
  type ChargedAttempt,
  chargeAttempt,
  countFailedLogIn,
  isKnownLogIn,
  recordFailedLogIn,
  refundAttempt,
  selectWindowEnd,
} from '../tables/attempts.ts';

const minuteSeconds = 60;
const hourSeconds = 3600;
/** Failed attempts of an address a minute, for an account that has had too many failures. */
const failuresOfStranger = 3;

/** Dependencies of counting attempts. */
export interface Attempting {
  readonly database: Queryable;
  readonly meta: Meta;
  readonly config: Pick<Config, 'RATE_LIMIT_FAILURES' | 'RATE_LIMIT_ACCOUNT_FAILURES'>;
}

/** The priority of an attempt in the hashing queue. `isKnown`: this address has logged in to this account before. */
export interface AttemptPriority {
  readonly address: string;
  readonly isKnown: boolean;
}

/** The priority of work for a caller with a credential, and of internal work. */
export const trustedPriority: AttemptPriority = { address: '', isKnown: true };

/**
 * Runs an attempt to use a credential. It is counted before the work begins, so that concurrent attempts cannot exceed the
 * limit, and the count is refunded unless the attempt fails. The count of an address is exact over all gateways. If an
 * `account` had too many failures, each address may still fail a few times a minute, and those that have logged in to it
 * are not limited further, so that its owner is not locked out.
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
  if (charged === null) {
    const sentence = `${ofAddress.limit} failed attempts a minute`;
    throw limited(sentence, ofAddress.limit, await selectWindowEnd(database, ofAddress));
  }
  const counted: Counted[] = [[ofAddress, charged]];
  if (account !== null) {
    const ofAccount = hourlyWindow(`account:${account}`, config.RATE_LIMIT_ACCOUNT_FAILURES);
    const failed = await chargeAttempt(database, ofAccount);
    if (failed !== null) counted.push([ofAccount, failed]);
    else if (charged.count > failuresOfStranger && !(await isKnownLogIn(database, account, address)))
      throw limited(sentenceOfStranger(ofAccount), failuresOfStranger, charged.reset);
  }
  return refundUnlessFailed(database, counted, () => work({ address, isKnown: false }));
}

/** The refusal while a window is full. */
export const refuseFull = async (database: Queryable, window: AttemptWindow, sentence: string) =>
  limited(sentence, window.limit, await selectWindowEnd(database, window));

const sentenceOfStranger = ({ limit }: AttemptWindow) =>
  `this account had ${limit} failed log-ins within an hour, so an address that has not logged in to it lately may fail ${failuresOfStranger} times a minute`;

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
    if (!hasFailed(error)) await refund();
    throw error;
  }
}

// An attempt that was refused before its check does not count as failed, and neither does one with the right password
// and no code.
const unfailed: readonly string[] = ['RATE_LIMITED', 'SECOND_FACTOR_REQUIRED', 'PASSKEY_REQUIRED'];
function hasFailed(error: unknown): boolean {
  return (
    error instanceof ServiceError && !unfailed.includes(error.type) && errorTable[error.type].status < 500
  );
}

/** The window of an hour with this name. */
export const hourlyWindow = (name: string, limit: number) => windowOf(name, limit, hourSeconds);

// Addresses and e-mail addresses are stored as hashes only.
function windowOf(name: string, limit: number, seconds: number): AttemptWindow {
  const hash = createHash('sha256').update(name).digest('hex');
  const subject = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return { subject, limit, seconds };
}

function limited(sentence: string, limit: number, reset: number): ServiceError {
  const seconds = Math.min(minuteSeconds, Math.max(1, Math.ceil(reset - Date.now() / 1000)));
  const unit = seconds === 1 ? 'second' : 'seconds';
  return new ServiceError(
    'RATE_LIMITED',
    `Too many requests: ${sentence}. Try again in ${seconds} ${unit}.`,
    {
      headers: {
        'Retry-After': String(seconds),
        'X-RateLimit-Limit': String(limit),
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(reset),
      },
    },
  );
}

/**
 * The maximum number of audit entries per hour that name an address range. Failed log-ins from further ranges share
 * one entry per account.
 */
const mostRanges = 200;

/**
 * Records a failed log-in in the audit trail: one entry per account, address range and hour with the number of failures, so
 * that an attack does not fill the trail.
 */
export async function auditFailedLogIn(
  database: Queryable,
  origin: AuditOrigin,
  { developerId, address }: { readonly developerId: string | null; readonly address: string },
): Promise<void> {
  const failed = { developerId, address, range: rangeOf(address) };
  if (await countFailedLogIn(database, failed)) return;
  const hasRoom = (await chargeAttempt(database, hourlyWindow('audited ranges', mostRanges))) !== null;
  await recordFailedLogIn(database, origin, hasRoom ? failed : { ...failed, range: null });
}

/**
 * The address range that a network address is counted with: the /24 of an IPv4 address, the /48 of an IPv6 address, which
 * is given as its first four groups (/64).
 */
export function rangeOf(address: string): string {
  if (address.includes('.')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  return address === '' ? '' : `${address.split(':').slice(0, 3).join(':')}::/48`;
}
