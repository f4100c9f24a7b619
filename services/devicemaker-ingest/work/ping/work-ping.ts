import { ServiceError } from '../../../../domain/errors.ts';
import type { Job, Outcome } from '../../../../mixins/inbox/inbox-job.ts';
import type { Environment } from '../../../../runtime/environment.ts';
import { callbackRules } from '../../rules/callback.ts';
import type { Push } from '../../rules/read-push.ts';
import { isOpen, settleSpecials } from '../accounts.ts';
import { UnknownItems } from '../entries.ts';
import { openOrRefuse } from '../reading/open-body.ts';
import { type ReceivedItems, reportToBackfill } from '../report-received.ts';
import { beginRun, linkedUsersOf, reprocessed } from '../store-run.ts';
import { pingAnswer } from './ping-answer.ts';
import { isWaiting, type PingItem, pingItemsOf } from './ping-items.ts';
import { type FetchLimits, fetchLimits, type Round, recall, workPingItem } from './work-ping-item.ts';

/** Limits of processing a ping. */
export interface PingLimits extends FetchLimits {
  /** Counted from the arrival of the delivery. Work that is unfinished then continues in the background. */
  readonly deadlineMs: number;
  /** In the background, a long ping pauses after this time so that others can run. */
  readonly sliceMs: number;
  /** Fetches of one ping in parallel. */
  readonly atOnce: number;
}

/** The production limits. All pings of a process share the byte limit. */
export const pingLimits = (): PingLimits => ({
  ...fetchLimits(),
  deadlineMs: 15_000,
  sliceMs: 60_000,
  atOnce: 4,
});

/**
 * Processes one ping: finds the linked users, checks and fetches callbacks, a few in parallel, and stores the items
 * like those of a push. The sender waits for the first attempt, which therefore has a deadline. Later attempts continue
 * slice by slice until all items are tried. Results are kept per ping item and are not repeated.
 */
export async function workPing(job: Job, environment: Environment, limits: PingLimits): Promise<Outcome> {
  const opened = await openOrRefuse(job.body);
  if (opened instanceof ServiceError) return { kind: 'refused', error: opened, answer: undefined };
  opened.close();
  return workOpened(job, environment, limits, opened.push);
}

async function workOpened(
  job: Job,
  environment: Environment,
  limits: PingLimits,
  ping: Push,
): Promise<Outcome> {
  const reached = await job.progress.read();
  const leftMs = job.isRetry ? limits.sliceMs : Math.max(0, limits.deadlineMs - job.waited_ms);
  const run = {
    ...beginRun(job, environment, 'ping.item_broken'),
    signal: job.isReprocess ? job.signal : AbortSignal.any([job.signal, AbortSignal.timeout(leftMs)]),
  };
  const unknown = new UnknownItems(environment.config.WEBHOOK_UNKNOWN_ITEMS);
  const rules = callbackRules(environment.config);
  const linkedUsers = await linkedUsersOf(run, ping, job);
  const pingItems = linkedUsers === null ? [] : pingItemsOf(ping, linkedUsers, rules, unknown);
  const round = {
    job,
    environment,
    run,
    limits,
    reached,
    rules,
    failuresInRow: 0,
    settled: 0,
    afterMs: null,
  };
  await workPingItems(round, pingItems, limits.atOnce);
  if (job.isReprocess) return reprocessed(run);
  const specials = await settleSpecials(run, job, ping);
  const isLeft = linkedUsers === null || pingItems.some(isWaiting) || isOpen(ping, specials);
  if (isLeft && (job.signal.aborted || isSliceOver(round, pingItems))) return { kind: 'stopped' };
  const backfillReport = await reportToBackfill(environment, job.id, receivedBy(pingItems));
  const errors = [...ping.errors, ...unknown.sentences()];
  const answer = pingAnswer({
    ping: { ...ping, errors },
    pingItems,
    specials,
    backfillReport,
    pending: isLeft,
  });
  logCounts(environment, job, pingItems);
  if (!isLeft) return { kind: 'done', answer };
  return { kind: 'later', reason: reasonOf(round, pingItems), answer, delayMs: delayOf(round) };
}

// A slice that settled something without a failure is handed back, which costs no attempt.
function isSliceOver({ job, run, settled }: Round, pingItems: readonly PingItem[]): boolean {
  const fails = run.failed !== null || pingItems.some(({ outcome }) => outcome.state === 'error');
  return job.isRetry && run.signal.aborted && settled > 0 && !fails;
}

// Ping items of one account and type are processed in order, because the later delivery of an activity wins. A retry
// shuffles the queues, so that failing ones do not always delay the same others.
async function workPingItems(round: Round, pingItems: readonly PingItem[], atOnce: number): Promise<void> {
  for (const pingItem of pingItems) recall(pingItem, round.reached);
  const open = pingItems.filter((pingItem) => isWaiting(pingItem) && pingItem.sameAs === null);
  const queues = [...Map.groupBy(open, ({ account, type }) => JSON.stringify([account, type.name])).values()];
  const next = (round.job.isRetry ? shuffled(queues) : queues).values();
  const worker = async () => {
    for (const queue of next) for (const pingItem of queue) await workPingItem(round, pingItem);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const pingItem of pingItems)
    if (pingItem.sameAs !== null && isWaiting(pingItem)) repeat(pingItem, pingItem.sameAs);
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

// A repeated ping item contributes no items.
function repeat(pingItem: PingItem, { outcome }: PingItem): void {
  pingItem.outcome =
    outcome.state === 'fetched'
      ? {
          ...outcome,
          lines: outcome.lines.map((line) => ({ ...line, saved: 0 })),
          sentences: [],
          placeholders: 0,
        }
      : { ...outcome, sentences: [] };
}

// Results of earlier attempts are reported again. The receiver counts them once.
function receivedBy(pingItems: readonly PingItem[]): ReceivedItems[] {
  return pingItems.flatMap(({ type, sameAs, outcome }) =>
    outcome.state === 'fetched' && sameAs === null
      ? outcome.lines.map(({ fetched, ...line }) => ({ ...line, type: type.name, items: fetched }))
      : [],
  );
}

function reasonOf({ run, afterMs }: Round, pingItems: readonly PingItem[]): string {
  if (run.failed !== null) return run.failed;
  if (afterMs !== null) return 'PROVIDER_BUSY';
  return pingItems.some(({ outcome }) => outcome.state === 'error') ? 'PROVIDER_FAILED' : 'FETCH_QUEUED';
}

const firstDelayMs = 2000;
const longestDelayMs = 6 * 3_600_000;

/**
 * Delay of a ping's next attempt: random, up to 2 s doubled with each attempt, at most 6 hours, so that its 16 attempts
 * cover a night (the provider keeps the data for days). Never less than the provider asked for.
 */
export function delayOf({
  job,
  afterMs,
}: Pick<Round, 'afterMs'> & { readonly job: Pick<Job, 'attempt'> }): number {
  const jitter = (longest: number) => Math.random() * longest;
  const delay = jitter(Math.min(longestDelayMs, firstDelayMs * 2 ** (job.attempt - 1)));
  return afterMs === null ? delay : Math.max(delay, afterMs + jitter(firstDelayMs));
}

function logCounts({ logger }: Environment, job: Job, pingItems: readonly PingItem[]): void {
  const byState = Map.groupBy(pingItems, ({ outcome }) => outcome.state);
  const counts = Object.fromEntries([...byState].map(([state, all]) => [state, all.length]));
  logger.info('ping.worked', { delivery_id: job.id, ...counts });
}
