import type { Reached } from '../../../mixins/inbox-progress.ts';
import { codeOf, type Job } from '../../../mixins/inbox-worker.ts';
import { isObject } from '../../../providers/devicemaker/normalise/item.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { failureOf } from '../../../runtime/failure.ts';
import { type Entry, placeholdersOf, sentencesOf } from '../items/entries.ts';
import type { Recipient } from '../items/linked-users.ts';
import { startMsOf } from '../items/report-received.ts';
import { type Run, storeEntries } from '../items/store-entries.ts';
import { noteSynced } from '../items/synced.ts';
import { type OpenedList, openList } from '../reading/open-body.ts';
import type { CallbackRules } from './callback.ts';
import { type Failure, type FetchLimits, fetchCallback } from './fetch-callback.ts';
import { type Line, type Notice, Settled } from './ping-items.ts';

/** The work on the notices of one ping. */
export interface Round {
  readonly job: Job;
  readonly environment: Environment;
  /** Its signal ends with the job, and with the time that the sender waits. */
  readonly run: Run;
  readonly rules: CallbackRules;
  readonly limits: FetchLimits;
  readonly reached: ReadonlyMap<string, Reached>;
  /** Fetches that failed one after the other: the provider is away. */
  failuresInRow: number;
  /** Notices settled in this round. */
  settled: number;
  /** How long the provider asks to wait; null where it did not. */
  afterMs: number | null;
}

/** After so many failures in a row, or one answer that it is busy, the provider is left alone until the next try. */
const mostFailuresInRow = 8;
const mostSentences = 100;

/** Takes over what earlier attempts settled. */
export function recall(notice: Notice, reached: ReadonlyMap<string, Reached>): void {
  if (notice.outcome.state === 'refused') return;
  const settled = Settled.safeParse(reached.get(notice.entry)?.result);
  if (settled.success) notice.outcome = settled.data;
}

/** Fetches what a notice tells of, unless it is there already, and stores it; its outcome is set. Never throws. */
export async function workNotice(round: Round, notice: Notice): Promise<void> {
  if (isOver(round)) return;
  try {
    const found = (await kept(round, notice)) ?? (await fetched(round, notice));
    if (found === null) return;
    try {
      await store(round, notice, found);
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

async function kept({ reached, job }: Round, { entry }: Notice): Promise<OpenedList | null> {
  if (reached.get(entry)?.hasBody !== true) return null;
  const body = await job.progress.readBody(entry);
  return body === null ? null : openList(body);
}

// The body is kept before it is worked on: what was fetched once need never be fetched again.
async function fetched(round: Round, notice: Notice): Promise<OpenedList | null> {
  const { job, run, rules, limits } = round;
  if (notice.url === null) return null;
  const answer = await fetchCallback(notice.url, notice, rules, limits, run.signal);
  if (answer.kind === 'items') {
    round.failuresInRow = 0;
    const { found } = answer;
    try {
      if (await job.progress.keepBody(notice.entry, found.body)) return found;
    } catch (error) {
      found.close();
      throw error;
    }
    found.close();
    return null;
  }
  if (answer.kind === 'refused') await settle(round, notice, refusalOf(notice, answer.reason));
  else if (answer.kind !== 'left') postpone(round, notice, answer);
  return null;
}

function refusalOf({ entry }: Notice, reason: string): Settled {
  return { state: 'refused', sentences: [`${entry}: ${reason}`] };
}

function postpone(round: Round, notice: Notice, { kind, reason, afterMs }: Failure): void {
  notice.outcome = { state: 'error', sentences: [`${notice.entry}: ${reason}; it is tried again`] };
  round.failuresInRow = kind === 'busy' ? mostFailuresInRow : round.failuresInRow + 1;
  if (afterMs !== null) round.afterMs = Math.max(afterMs, round.afterMs ?? 0);
}

async function settle(round: Round, notice: Notice, settled: Settled): Promise<void> {
  if (!(await round.job.progress.keepResult(notice.entry, settled))) return;
  notice.outcome = settled;
  round.settled += 1;
}

async function store(round: Round, notice: Notice, { list, items }: OpenedList): Promise<void> {
  const { recipients } = notice;
  const entries = list.flatMap((item, index) =>
    recipients.map((recipient) => entryOf(notice, recipient, item, index)),
  );
  await storeEntries(round.run, entries, items);
  await noteSynced(round.environment, entries);
  if (entries.some(({ status }) => status === null)) return leave(notice, entries);
  await settle(round, notice, settledOf(notice, list, entries));
}

// Nothing to tell where the store is away: the notice just waits.
function leave(notice: Notice, entries: readonly Entry[]): void {
  const left = entries.filter(({ status }) => status === null);
  const sentences = [...new Set(left.flatMap(sentencesOf))];
  if (left.some(({ isLeft }) => isLeft)) notice.outcome = { state: 'error', sentences: atMost(sentences) };
}

function entryOf(
  { entry, type, account }: Notice,
  recipient: Recipient,
  item: unknown,
  index: number,
): Entry {
  const problem = problemOf(item, account);
  return {
    ...{ key: entry, type, index, item, providerUserId: account, recipient },
    status: problem === null ? null : 'validation_error',
    isLeft: false,
    recordIds: [],
    problems: problem === null ? [] : [problem],
  };
}

// An answer to one account's address holds that account's items; older senders leave the id out.
function problemOf(item: unknown, account: string | null) {
  if (!isObject(item)) return { field: '', reason: 'must be an object' };
  const isForeign = item.userId !== undefined && item.userId !== null && item.userId !== account;
  return isForeign ? { field: 'userId', reason: 'belongs to another account' } : null;
}

function settledOf(notice: Notice, items: readonly unknown[], entries: readonly Entry[]): Settled {
  const { recipients, account } = notice;
  const own = items.filter((item) => problemOf(item, account) === null);
  const starts = own.map(startMsOf).filter((ms) => ms !== null);
  const span = {
    first_start_ms: starts.length === 0 ? null : starts.reduce((a, b) => Math.min(a, b)),
    last_start_ms: starts.length === 0 ? null : starts.reduce((a, b) => Math.max(a, b)),
  };
  const lines = recipients.map((recipient): Line => {
    const saved = entries.filter((each) => each.recipient === recipient && each.status === 'saved').length;
    return { ...recipient, fetched: own.length, saved, ...span };
  });
  const sentences = atMost([...new Set(entries.flatMap(sentencesOf))]);
  return { state: 'fetched', lines, sentences, placeholders: placeholdersOf(entries) };
}

function atMost(sentences: readonly string[]): string[] {
  const more = sentences.length - mostSentences;
  return [...sentences.slice(0, mostSentences), ...(more > 0 ? [`${more} more`] : [])];
}
