import { isItem } from '../../../../domain/recipe/read-fields.ts';
import { retryAfterMs } from '../../../../domain/time/retry-after.ts';
import { dayMs } from '../../../../domain/time/time.ts';
import type { Job } from '../../../../mixins/inbox/inbox-job.ts';
import type { Reached } from '../../../../mixins/inbox/inbox-progress.ts';
import type { LinkedUser } from '../../../../mixins/inbox/linked-users.ts';
import type { Environment } from '../../../../runtime/environment.ts';
import { codeOf, failureOf } from '../../../../runtime/failure.ts';
import {
  type ByteLimit,
  byteLimit,
  type Fetched,
  type FetchFailure,
  guardedFetch,
  type Resolve,
} from '../../../../runtime/http/guarded-fetch.ts';
import type { CallbackRules } from '../../rules/callback.ts';
import { type Entry, placeholdersOf, sentencesOf } from '../entries.ts';
import { type OpenedList, openList } from '../reading/open-body.ts';
import { startMsOf } from '../report-received.ts';
import { noteSynced, storeEntries } from '../store-entries.ts';
import type { Run } from '../store-run.ts';
import { type Line, type PingItem, Settled } from './ping-items.ts';

/** State of processing the items of one ping. */
export interface Round {
  readonly job: Job;
  readonly environment: Environment;
  /** Its signal aborts with the job and at the deadline of the waiting sender. */
  readonly run: Run;
  readonly rules: CallbackRules;
  readonly limits: FetchLimits;
  readonly reached: ReadonlyMap<string, Reached>;
  /** Consecutive failed fetches. */
  failuresInRow: number;
  /** Ping items with a final result from this round. */
  settled: number;
  /** How long the provider asks to wait, or null. */
  afterMs: number | null;
}

/**
 * After this many consecutive failures, or one answer that the provider is busy, fetching stops until the next attempt.
 */
const mostFailuresInRow = 8;
const mostSentences = 100;

/** Restores the final results of earlier attempts. */
export function recall(pingItem: PingItem, reached: ReadonlyMap<string, Reached>): void {
  if (pingItem.outcome.state === 'refused') return;
  const settled = Settled.safeParse(reached.get(pingItem.entry)?.result);
  if (settled.success) pingItem.outcome = settled.data;
}

/** Fetches the data of a ping item, unless an earlier attempt did, stores it and sets the outcome. Never throws. */
export async function workPingItem(round: Round, pingItem: PingItem): Promise<void> {
  if (isOver(round)) return;
  try {
    const found = (await kept(round, pingItem)) ?? (await fetched(round, pingItem));
    if (found === null) return;
    try {
      await store(round, pingItem, found);
    } finally {
      found.close();
    }
  } catch (error) {
    round.run.failed ??= codeOf(failureOf(error, round.environment.logger, 'ping.notice'));
    round.run.halted = true;
  }
}

function isOver({ run, failuresInRow }: Round): boolean {
  return run.halted || run.signal.aborted || failuresInRow >= mostFailuresInRow;
}

async function kept({ reached, job }: Round, { entry }: PingItem): Promise<OpenedList | null> {
  if (reached.get(entry)?.hasBody !== true) return null;
  const body = await job.progress.readBody(entry);
  return body === null ? null : openList(body);
}

// The body is stored before it is processed, so that it is fetched only once.
async function fetched(round: Round, pingItem: PingItem): Promise<OpenedList | null> {
  const { job, run, rules, limits } = round;
  if (pingItem.url === null || job.isReprocess) return null;
  const answer = await fetchCallback(pingItem.url, pingItem, rules, limits, run.signal);
  if (answer.kind === 'items') {
    round.failuresInRow = 0;
    const { found } = answer;
    try {
      if (await job.progress.keepBody(pingItem.entry, found.body)) return found;
    } catch (error) {
      found.close();
      throw error;
    }
    found.close();
    return null;
  }
  if (answer.kind === 'refused') await settle(round, pingItem, refusalOf(pingItem, answer.reason));
  else if (answer.kind !== 'left') postpone(round, pingItem, answer);
  return null;
}

function refusalOf({ entry }: PingItem, reason: string): Settled {
  return { state: 'refused', sentences: [`${entry}: ${reason}`] };
}

function postpone(round: Round, pingItem: PingItem, { kind, reason, afterMs }: Failure): void {
  pingItem.outcome = { state: 'error', sentences: [`${pingItem.entry}: ${reason}; it is tried again`] };
  round.failuresInRow = kind === 'busy' ? mostFailuresInRow : round.failuresInRow + 1;
  if (afterMs !== null) round.afterMs = Math.max(afterMs, round.afterMs ?? 0);
}

async function settle(round: Round, pingItem: PingItem, settled: Settled): Promise<void> {
  if (!(await round.job.progress.keepResult(pingItem.entry, settled))) return;
  pingItem.outcome = settled;
  round.settled += 1;
}

async function store(round: Round, pingItem: PingItem, { list, items }: OpenedList): Promise<void> {
  const { linkedUsers } = pingItem;
  const entries = list.flatMap((item, index) =>
    linkedUsers.map((linkedUser) => entryOf(pingItem, linkedUser, item, index)),
  );
  await storeEntries(round.run, entries, items);
  if (!round.run.isReprocess) await noteSynced(round.environment, entries);
  if (entries.some(({ status }) => status === null)) return leave(pingItem, entries);
  await settle(round, pingItem, settledOf(pingItem, list, entries));
}

// If the store is unavailable the ping item stays waiting, without an error.
function leave(pingItem: PingItem, entries: readonly Entry[]): void {
  const left = entries.filter(({ status }) => status === null);
  const sentences = [...new Set(left.flatMap(sentencesOf))];
  if (left.some(({ isLeft }) => isLeft)) pingItem.outcome = { state: 'error', sentences: atMost(sentences) };
}

/** An item of a fetched list, for one of our users. */
function entryOf(
  { entry, type, account }: PingItem,
  linkedUser: LinkedUser,
  item: unknown,
  index: number,
): Entry {
  const problem = problemOf(item, account);
  return {
    key: entry,
    type,
    index,
    item,
    providerUserId: account,
    linkedUser,
    status: problem === null ? null : 'validation_error',
    isLeft: false,
    recordIds: [],
    problems: problem === null ? [] : [problem],
  };
}

// The answer to one account's callback contains that account's items. Older senders omit the id.
function problemOf(item: unknown, account: string | null) {
  if (!isItem(item)) return { field: '', reason: 'must be an object' };
  const isForeign = item.userId !== undefined && item.userId !== null && item.userId !== account;
  return isForeign ? { field: 'userId', reason: 'belongs to another account' } : null;
}

function settledOf(pingItem: PingItem, items: readonly unknown[], entries: readonly Entry[]): Settled {
  const { linkedUsers, account } = pingItem;
  const own = items.filter((item) => problemOf(item, account) === null);
  const starts = own.map(startMsOf).filter((ms) => ms !== null);
  const span = {
    first_start_ms: starts.length === 0 ? null : starts.reduce((a, b) => Math.min(a, b)),
    last_start_ms: starts.length === 0 ? null : starts.reduce((a, b) => Math.max(a, b)),
  };
  const lines = linkedUsers.map((linkedUser): Line => {
    const saved = entries.filter((each) => each.linkedUser === linkedUser && each.status === 'saved').length;
    return { ...linkedUser, fetched: own.length, saved, ...span };
  });
  const sentences = atMost([...new Set(entries.flatMap(sentencesOf))]);
  return { state: 'fetched', lines, sentences, placeholders: placeholdersOf(entries) };
}

function atMost(sentences: readonly string[]): string[] {
  const more = sentences.length - mostSentences;
  return [...sentences.slice(0, mostSentences), ...(more > 0 ? [`${more} more`] : [])];
}

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
interface Failure {
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
  const fetched = await guardedFetch(url, { ...limits, origins, mostBytes, signal, media: 'json' });
  if (!fetched.ok) return fetchFailure(fetched.failure, fetched.status, fetched.retryAfter, mostBytes);
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

function fetchFailure(
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
