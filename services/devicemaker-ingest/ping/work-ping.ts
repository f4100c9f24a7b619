import { ServiceError } from '../../../domain/errors.ts';
import { codeOf, type Job, type Outcome } from '../../../mixins/inbox-worker.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { answering, reducedPing } from '../accounts/reduced-answers.ts';
import { isOpen, settleSpecials } from '../accounts/specials.ts';
import { providerUserIdOf } from '../items/entries.ts';
import { arrivalOf, findLinkedUsers } from '../items/linked-users.ts';
import { type Brought, noteHistory } from '../items/report-received.ts';
import { patienceOf } from '../items/store-entries.ts';
import type { Run } from '../items/store-run.ts';
import { UnknownItems } from '../items/unknown-items.ts';
import { openOrRefuse } from '../reading/open-body.ts';
import type { Push } from '../reading/read-push.ts';
import { callbackRules } from './callback.ts';
import { type FetchLimits, fetchLimits } from './fetch-callback.ts';
import { pingAnswer } from './ping-answer.ts';
import { isWaiting, type PingItem, pingItemsOf } from './ping-items.ts';
import { type Round, recall, workPingItem } from './work-ping-item.ts';

/** What bounds the work on a ping. */
export interface PingLimits extends FetchLimits {
  /** From the moment that the delivery was taken: what is not done by then goes on behind. */
  readonly deadlineMs: number;
  /** Behind, a long ping lets others have a turn after this time. */
  readonly sliceMs: number;
  /** Fetches of one ping at once. */
  readonly atOnce: number;
}

/** The limits that run; the bytes that all pings of a process hold are counted together. */
export const pingLimits = (): PingLimits => ({
  ...fetchLimits(),
  deadlineMs: 15_000,
  sliceMs: 60_000,
  atOnce: 4,
});

/**
 * The work on one ping: users are looked up, their callbacks checked and fetched, a few at once, what comes is stored
 * as a push's items are. The sender waits for the first attempt, so that has a deadline; those behind it go on slice
 * by slice until all is tried. What an attempt reached is kept ping item by ping item and is not done again.
 */
export async function workPing(job: Job, environment: Environment, limits: PingLimits): Promise<Outcome> {
  const opened = await openOrRefuse(job.body);
  if (opened instanceof ServiceError) return { kind: 'refused', error: opened, answer: undefined };
  opened.close();
  const { push: ping } = opened;
  const reduced = () => reducedPing(ping, job.received_ms, environment.config.WEBHOOK_UNKNOWN_ITEMS);
  const work = () => workOpened(job, environment, limits, ping);
  return answering(environment.config, job, reduced, work);
}

async function workOpened(
  job: Job,
  environment: Environment,
  limits: PingLimits,
  ping: Push,
): Promise<Outcome> {
  const reached = await job.progress.read();
  const run = runOf(job, environment, limits);
  const unknown = new UnknownItems(environment.config.WEBHOOK_UNKNOWN_ITEMS);
  const pingItems = await addressed(run, ping, job, environment, unknown);
  const round = {
    ...{ job, environment, run, limits, reached, rules: callbackRules(environment.config) },
    ...{ failuresInRow: 0, settled: 0, afterMs: null },
  };
  if (pingItems !== null) await workPingItems(round, pingItems, limits.atOnce);
  const specials = await settleSpecials(run, job, ping);
  const isLeft = pingItems === null || pingItems.some(isWaiting) || isOpen(ping, specials);
  if (isLeft && (job.signal.aborted || isSliceOver(round, pingItems ?? []))) return { kind: 'stopped' };
  const history = await noteHistory(environment, job.id, broughtBy(pingItems ?? []));
  const errors = [...ping.errors, ...unknown.sentences()];
  const answer = pingAnswer({
    ping: { ...ping, errors },
    pingItems: pingItems ?? [],
    specials,
    history,
    pending: isLeft,
  });
  logCounts(environment, job, pingItems ?? []);
  if (!isLeft) return { kind: 'done', answer };
  return { kind: 'later', reason: reasonOf(round, pingItems ?? []), answer, delayMs: delayOf(round) };
}

function runOf(job: Job, { call, logger }: Environment, { deadlineMs, sliceMs }: PingLimits): Run {
  const left = job.isRetry ? sliceMs : Math.max(0, deadlineMs - job.waited_ms);
  return {
    call,
    signal: AbortSignal.any([job.signal, AbortSignal.timeout(left)]),
    nowMs: Date.now(),
    onBroken: ({ key, index }, error) => {
      const name = error instanceof Error ? error.name : 'unknown';
      logger.error('ping.item_broken', { delivery_id: job.id, key, index, name });
    },
    failed: null,
    halted: false,
    patience: patienceOf(job),
    failuresInRow: 0,
  };
}

// Handed back, it costs no attempt: as long as each slice gets on and nothing fails, it may go on.
function isSliceOver({ job, run, settled }: Round, pingItems: readonly PingItem[]): boolean {
  const fails = run.failed !== null || pingItems.some(({ outcome }) => outcome.state === 'error');
  return job.isRetry && run.signal.aborted && settled > 0 && !fails;
}

// A lookup that fails leaves all of it for later.
async function addressed(
  run: Run,
  ping: Push,
  job: Job,
  { config }: Environment,
  unknown: UnknownItems,
): Promise<PingItem[] | null> {
  const ids = ping.groups.flatMap(({ items }) => items.map(providerUserIdOf).filter((id) => id !== null));
  try {
    const linkedUsers = await findLinkedUsers(run.call, ids, arrivalOf(job), { isKept: true });
    return pingItemsOf(ping, linkedUsers, callbackRules(config), unknown);
  } catch (error) {
    run.failed = codeOf(error);
    run.halted = true;
    return null;
  }
}

// One account's ping items of one type in their order, because the later delivery of an activity wins. Behind, the
// queues come in any order: those that fail each time must not keep the same others waiting.
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

// A repeated ping item brought nothing new.
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

// What earlier attempts brought is told again: it counts once.
function broughtBy(pingItems: readonly PingItem[]): Brought[] {
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
 * How long a ping waits for its next attempt: anything up to 2 s doubled each time, 6 hours at most, so that its 16
 * attempts reach over a night (the data lies there for days); never less than the provider asked for.
 */
function delayOf({ job, afterMs }: Round): number {
  const jitter = (longest: number) => Math.random() * longest;
  const delay = jitter(Math.min(longestDelayMs, firstDelayMs * 2 ** (job.attempt - 1)));
  return afterMs === null ? delay : Math.max(delay, afterMs + jitter(firstDelayMs));
}

function logCounts({ logger }: Environment, job: Job, pingItems: readonly PingItem[]): void {
  const byState = Map.groupBy(pingItems, ({ outcome }) => outcome.state);
  const counts = Object.fromEntries([...byState].map(([state, all]) => [state, all.length]));
  logger.info('ping.worked', { delivery_id: job.id, ...counts });
}
