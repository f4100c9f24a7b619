import type { Clock } from '../simulation/clock.ts';
import type { Random } from '../simulation/random.ts';
import type { DeliveryPolicy, Outbox, Post } from './delivery.ts';
import type { Faults } from './faults.ts';
import { type Contents, type QueuedNotification, type Store, secret } from './store.ts';

/** A provider as the outbox uses it. */
export interface Sender {
  readonly delivery: DeliveryPolicy;
  /** Whether an address is set. */
  isReady(): boolean;
  /** The HTTP request of a notification; null if there is nothing to send. */
  post(contents: Contents): Post | null;
  acknowledged(contents: Contents): void;
  /** An invalid notification, as public webhooks receive them. An application must neither store it nor lose data by it. */
  invalidNotification(contents: Contents, chance: Random): Contents;
}

/** What an outbox depends on. */
export interface OutboxDeps {
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: Faults;
  /** The provider with a name; undefined if it is not simulated, and its notifications stay in the file. */
  senderOf(provider: string): Sender | undefined;
}

const mostLanes = 4;

/** The number of requests at once after an answer: half after a slow or failed one, one more after a prompt one. */
function lanesAfter(lanes: number, isPrompt: boolean): number {
  return isPrompt ? Math.min(mostLanes, lanes + 1) : Math.max(1, Math.floor(lanes / 2));
}

/** The pause before the next attempt, which doubles each time. */
export function gapMs({ firstGapMs, longestGapMs }: DeliveryPolicy, attempts: number): number {
  return Math.min(longestGapMs, firstGapMs * 2 ** (attempts - 1));
}

/** Opens the outbox of the queued notifications in the store. */
export function openOutbox(deps: OutboxDeps): Outbox {
  const { clock, store, faults, senderOf } = deps;
  const running = new Map<QueuedNotification, Promise<void>>();
  const stop = new AbortController();
  let lanes = mostLanes;

  const put = (provider: string, contents: Contents, dueMs: number) => {
    const times = { written_ms: clock.nowMs(), due_ms: dueMs };
    store.state.counts.letters += 1;
    store.state.letters.push({ id: secret(9), provider, contents, attempts: 0, ...times });
    store.touch();
    clock.at(dueMs, pump);
  };
  const due = () => {
    const nowMs = clock.nowMs();
    const ready = store.state.letters.filter(
      (one) => !running.has(one) && one.due_ms <= nowMs && senderOf(one.provider)?.isReady(),
    );
    return ready.toSorted((a, b) => a.due_ms - b.due_ms);
  };
  const begin = () => {
    if (stop.signal.aborted) return;
    for (const notification of due().slice(0, Math.max(0, lanes - running.size))) {
      const sender = senderOf(notification.provider);
      if (sender === undefined) continue;
      const sent = deliver(deps, sender, notification, stop.signal).then(({ againMs, isPrompt }) => {
        running.delete(notification);
        lanes = lanesAfter(lanes, isPrompt);
        if (againMs !== null) clock.at(againMs, pump);
        begin();
      });
      running.set(notification, sent);
    }
  };
  const pump = async () => {
    begin();
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    pump,
    add(provider, contents) {
      if (faults.trigger('dropped', provider) !== null) return;
      const dueMs = clock.nowMs();
      const held = faults.trigger('disorder', provider);
      const later = held === null ? 0 : faults.chance.between(0, held.spread_seconds * 1000);
      put(provider, contents, dueMs + later);
      if (faults.trigger('duplicate', provider) !== null)
        put(provider, contents, dueMs + later + faults.chance.whole(0, 5000));
      const sender = faults.trigger('garbage', provider) === null ? undefined : senderOf(provider);
      if (sender !== undefined) put(provider, sender.invalidNotification(contents, faults.chance), dueMs);
    },
    resume() {
      for (const { due_ms } of store.state.letters) clock.at(Math.max(due_ms, clock.nowMs()), pump);
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** The end of an attempt: when the notification is due again (null: no more), and whether the answer was prompt. */
interface Attempt {
  readonly againMs: number | null;
  readonly isPrompt: boolean;
}

/** An answer that takes a larger part of the time-out shows that the receiver is loaded. */
const promptPart = 0.25;

/** Sends a notification once. */
async function deliver(
  { clock, store }: OutboxDeps,
  { delivery, post: postOf, acknowledged }: Sender,
  notification: QueuedNotification,
  stop: AbortSignal,
): Promise<Attempt> {
  const { counts } = store.state;
  const { contents } = notification;
  const post = postOf(contents);
  const began = performance.now();
  const taken = post === null || (await isTaken(post, delivery, stop));
  const isPrompt = taken && performance.now() - began <= promptPart * delivery.answerWithinMs;
  if (stop.aborted && !taken) return { againMs: null, isPrompt }; // it is still in the store and is sent after the next start
  notification.attempts += 1;
  if (post !== null) counts.posts += 1;
  store.touch();
  if (!taken && notification.attempts < delivery.attempts && contents.kind !== 'garbage') {
    notification.due_ms = clock.nowMs() + gapMs(delivery, notification.attempts);
    return { againMs: notification.due_ms, isPrompt };
  }
  store.state.letters = store.state.letters.filter((one) => one !== notification);
  if (contents.kind !== 'garbage') counts[taken ? 'acknowledged' : 'given_up'] += 1;
  if (taken) acknowledged(contents);
  return { againMs: null, isPrompt };
}

// Only one status is success, usually 200. A redirect, another 2xx and a time-out are failures.
async function isTaken(
  { url, headers, body }: Post,
  { answerWithinMs, acceptedStatus = 200 }: DeliveryPolicy,
  stop: AbortSignal,
): Promise<boolean> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(answerWithinMs)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return response.status === acceptedStatus;
  } catch {
    return false;
  }
}
