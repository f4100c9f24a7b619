import { retryAfterMs } from '../../../../domain/time/retry-after.ts';
import { dayMs } from '../../../../domain/time/time.ts';
import {
  type ByteLimit,
  byteLimit,
  type Fetched,
  type FetchFailure,
  guardedFetch,
  type Resolve,
} from '../../../../runtime/http/guarded-fetch.ts';
import type { CallbackRules } from '../../rules/callback.ts';
import { type OpenedList, openList } from '../reading/open-body.ts';
import type { PingItem } from './ping-items.ts';

/** Limits of fetching callbacks in one process. */
export interface FetchLimits {
  readonly connectMs: number;
  readonly totalMs: number;
  readonly mostBytes: number;
  /** Limit for activity details, which contain hours at 1 Hz. */
  readonly mostBytesOfDetails: number;
  readonly held: ByteLimit;
  readonly resolve?: Resolve;
}

const mebibyte = 1024 * 1024;

/** The production limits: memory for one body of the largest size, but not for two at once. */
export const fetchLimits = (): FetchLimits => ({
  connectMs: 3000,
  totalMs: 10_000,
  mostBytes: 16 * mebibyte,
  mostBytesOfDetails: 110 * mebibyte,
  held: byteLimit(160 * mebibyte),
});

/**
 * The result of a fetch. Items with their body, whose memory counts until `close`. `refused`: a permanent error.
 * `failed`: a temporary error. `busy`: the provider rejects further requests now. `left`: postponed, and not an error.
 * `afterMs`: how long the provider asks to wait.
 */
type FetchedItems =
  | { readonly kind: 'items'; readonly found: OpenedList }
  | Failure
  | { readonly kind: 'left' };

/** The provider did not return the requested data. */
export interface Failure {
  readonly kind: 'refused' | 'failed' | 'busy';
  readonly reason: string;
  readonly afterMs: number | null;
}

/** Fetches the items behind a checked callback. Reasons contain no part of the URL or the body. */
export async function fetchCallback(
  url: URL,
  { type }: Pick<PingItem, 'type'>,
  rules: CallbackRules,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<FetchedItems> {
  const mostBytes = type.name === 'activityDetails' ? limits.mostBytesOfDetails : limits.mostBytes;
  const { origins } = rules;
  const fetched = await guardedFetch(url, { ...limits, origins, mostBytes, signal });
  if (!fetched.ok) return failureOf(fetched.failure, fetched.status, fetched.retryAfter, mostBytes);
  const found = await openFetched(fetched);
  return found === null
    ? { kind: 'failed', reason: 'the answer is no list in JSON', afterMs: null }
    : { kind: 'items', found };
}

async function openFetched({ body, release }: Extract<Fetched, { ok: true }>): Promise<OpenedList | null> {
  try {
    const found = await openList(body);
    if (found === null) release();
    return found === null ? null : { ...found, close: () => closeBoth(found, release) };
  } catch (error) {
    release();
    throw error;
  }
}

function closeBoth({ close }: OpenedList, release: () => void): void {
  close();
  release();
}

// Permanent errors: the data does not exist, or access is denied.
const finalStatus = new Set([400, 403, 404, 410]);

function failureOf(
  failure: FetchFailure,
  status: number | null,
  retryAfter: string | null,
  mostBytes: number,
): FetchedItems {
  if (failure === 'stopped' || failure === 'crowded') return { kind: 'left' };
  if (failure !== 'status') return { kind: 'failed', reason: sentences(mostBytes)[failure], afterMs: null };
  const kind = status === 429 ? 'busy' : finalStatus.has(status ?? 0) ? 'refused' : 'failed';
  const afterMs = retryAfterMs(retryAfter, Date.now(), { mostMs: dayMs });
  return { kind, reason: `the provider answered ${status}`, afterMs };
}

const sentences = (mostBytes: number) => ({
  origin_refused: "the callbackURL does not lead to the provider's API",
  address_refused: 'the callbackURL leads to an address that is not public',
  unreachable: 'the provider could not be reached',
  timed_out: 'the provider did not answer in time',
  redirected: 'the provider answered with a redirect, which is not followed',
  not_json: 'the answer is not JSON',
  too_large: `the answer is larger than ${mostBytes} bytes`,
  cut_off: 'the answer broke off',
});
