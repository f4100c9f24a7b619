import type { Clock } from './clock.ts';
import type { Faults, ProviderName } from './faults.ts';
import { garbageFor } from './garbage.ts';
import { type Contents, type Letter, type Store, secret } from './store.ts';

/** A notification as it goes out. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is to be sent, until exactly 200 was answered. */
export interface Outbox {
  /** Puts a notification in; troubles may double it, hold it back, or put nonsense beside it. */
  add(contents: Contents, dueMs?: number): void;
  /** Sends what is due; returns when nothing more is. */
  pump(): Promise<void>;
  /** Takes up what an earlier run of the program left. */
  resume(): void;
  stop(): Promise<void>;
}

/** How contents become a post (null: there is nothing to send any more), and who is told of success. */
export interface OutboxWork {
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: Faults;
  compose(contents: Contents): Post | null;
  acknowledged(contents: Contents): void;
}

const lanes = 4;

/** The manners of the two senders: how long they wait for an answer, and how they try again. */
const manners = {
  devicemaker: { answerWithinMs: 30_000, attempts: 30, firstGapMs: 10_000, longestGapMs: 6 * 3_600_000 },
  activitynet: { answerWithinMs: 2000, attempts: 3, firstGapMs: 15_000, longestGapMs: 60_000 },
} as const;

/** Whose notification it is. */
export function senderOf(contents: Contents): ProviderName {
  if (contents.kind === 'event') return 'activitynet';
  if (contents.kind === 'garbage')
    return contents.path.startsWith('/activitynet') ? 'activitynet' : 'devicemaker';
  return 'devicemaker';
}

/** The gap before the next attempt: twice as long each time. */
export function gapMs(provider: ProviderName, attempts: number): number {
  const { firstGapMs, longestGapMs } = manners[provider];
  return Math.min(longestGapMs, firstGapMs * 2 ** (attempts - 1));
}

/** An outbox over the letters of the store. */
export function openOutbox(work: OutboxWork): Outbox {
  const { clock, store, faults } = work;
  const running = new Map<Letter, Promise<void>>();
  const stop = new AbortController();

  const put = (contents: Contents, dueMs: number) => {
    const nowMs = clock.nowMs();
    store.book.counts.letters += 1;
    store.book.letters.push({ id: secret(9), contents, attempts: 0, written_ms: nowMs, due_ms: dueMs });
    store.touch();
    clock.at(dueMs, pump);
  };
  const due = () => {
    const nowMs = clock.nowMs();
    const hasAddress = store.book.application.webhooks !== null;
    const ready = store.book.letters.filter(
      (one) =>
        !running.has(one) && one.due_ms <= nowMs && (hasAddress || senderOf(one.contents) === 'activitynet'),
    );
    return ready.toSorted((a, b) => a.due_ms - b.due_ms);
  };
  const begin = () => {
    if (stop.signal.aborted) return;
    for (const letter of due().slice(0, Math.max(0, lanes - running.size))) {
      const sent = deliver(work, letter, stop.signal).then((againMs) => {
        running.delete(letter);
        if (againMs !== null) clock.at(againMs, pump);
        begin();
      });
      running.set(letter, sent);
    }
  };
  const pump = async () => {
    begin();
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    pump,
    add(contents, dueMs = clock.nowMs()) {
      const provider = senderOf(contents);
      const held = faults.strike('disorder', provider);
      const later = held === null ? 0 : faults.chance.between(0, held.spread_seconds * 1000);
      put(contents, dueMs + later);
      if (faults.strike('duplicate', provider) !== null)
        put(contents, dueMs + later + faults.chance.whole(0, 5000));
      if (faults.strike('garbage', provider) !== null)
        put(garbageFor(contents, provider, faults.chance, store.book.application.style), dueMs);
    },
    resume() {
      for (const { due_ms } of store.book.letters) clock.at(Math.max(due_ms, clock.nowMs()), pump);
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** Sends a letter once; returns when it is due again, null when that was its end. */
async function deliver(work: OutboxWork, letter: Letter, stop: AbortSignal): Promise<number | null> {
  const { clock, store } = work;
  const { counts } = store.book;
  const { contents } = letter;
  const { answerWithinMs, attempts } = manners[senderOf(contents)];
  const post = work.compose(contents);
  const taken = post === null || (await isTaken(post, answerWithinMs, stop));
  if (stop.aborted && !taken) return null; // it is still in the store, and goes out after the next start
  letter.attempts += 1;
  if (post !== null) counts.posts += 1;
  store.touch();
  if (!taken && letter.attempts < attempts && contents.kind !== 'garbage') {
    letter.due_ms = clock.nowMs() + gapMs(senderOf(contents), letter.attempts);
    return letter.due_ms;
  }
  store.book.letters = store.book.letters.filter((one) => one !== letter);
  if (contents.kind !== 'garbage') counts[taken ? 'acknowledged' : 'given_up'] += 1;
  if (taken) work.acknowledged(contents);
  return null;
}

// Exactly 200 is success: a redirect, a 204, no answer in time are none.
async function isTaken(
  { url, headers, body }: Post,
  answerWithinMs: number,
  stop: AbortSignal,
): Promise<boolean> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(answerWithinMs)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
