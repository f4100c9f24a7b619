import type { z } from 'zod';
import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import type { Run } from '../targets/target.ts';
import type { Opening, TargetThread } from './threads.ts';

/** A connection to a target in a thread of its own. */
export interface Session {
  /**
   * Calls a function of the connection. Arguments are copied. `allowedBytes`: what the target may send until the next call.
   * @throws TargetError
   */
  call<T>(returns: z.ZodType<T>, name: string, args?: readonly unknown[], allowedBytes?: number): Promise<T>;
  /** Calls a function without waiting for its end, so that both threads work. A failure is thrown by a later call. */
  send(name: string, args: readonly unknown[]): Promise<void>;
}

/** Calls of `send` that have not ended. */
const mostSending = 8;

/** What a target may send until a connection is usable, and as an answer. A real one sends a few kB; lists of objects have more. */
const answerBytes = 64 * 1024;
/** A thread that answers none of so many looks, a second each, is busy with an answer of the target. */
const mostUnanswered = 10;
const lookEveryMs = 1000;

/**
 * Runs `work` with a connection. It ends with the thread, and its sockets, if the target breaks a bound: of bytes, of time for all its
 * answers together, of memory or of computing time.
 */
export async function withSession<T>(
  { held, pace, threads }: Pick<Run, 'held' | 'pace' | 'threads'>,
  opening: Opening,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (held.signal.aborted) throw new TargetError('stopped');
  const thread = threads.take();
  const waiting = newWaiting(pace);
  const stop = () => void thread.end('stopped');
  held.signal.addEventListener('abort', stop, { once: true });
  let endWatch = () => {};
  try {
    // The time in which a thread starts is not the target's.
    await thread.request({ kind: 'ping' }, 0);
    endWatch = watch(thread, waiting);
    await waiting.during(0, thread.request({ kind: 'open', opening }, answerBytes));
    return await work(sessionOf(thread, waiting));
  } finally {
    // What is done is done, however the target takes the end.
    const isQuiet = await thread.request({ kind: 'close' }, answerBytes).catch(() => false);
    endWatch();
    held.signal.removeEventListener('abort', stop);
    if (isQuiet === true) threads.giveBack(thread);
    else await thread.end('stopped');
  }
}

function sessionOf(thread: TargetThread, waiting: Waiting): Session {
  const sending = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const request = (name: string, args: readonly unknown[], allowedBytes: number) => {
    const bodies: ArrayBuffer[] = [];
    const copied = args.map((one) => {
      if (!(one instanceof Uint8Array)) return one;
      const copy = new Uint8Array(one);
      bodies.push(copy.buffer);
      return copy;
    });
    const sentBytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return waiting.during(
      sentBytes,
      thread.request({ kind: 'call', name, args: copied }, allowedBytes, bodies),
    );
  };
  const check = () => {
    if (failure !== null) throw failure.error;
  };
  return {
    async call(returns, name, args = [], allowedBytes = answerBytes) {
      await Promise.all(sending);
      check();
      const { data, success } = returns.safeParse(await request(name, args, allowedBytes));
      if (!success) throw new TargetError('answer_invalid');
      return data;
    },
    async send(name, args) {
      check();
      const sent: Promise<void> = request(name, args, answerBytes)
        .then(
          () => undefined,
          (error: unknown) => {
            failure ??= { error };
          },
        )
        .finally(() => sending.delete(sent));
      sending.add(sent);
      if (sending.size >= mostSending) await Promise.race(sending);
    },
  };
}

// Ends the thread when the target has taken too long, or when the thread answers no more.
function watch(thread: TargetThread, waiting: Waiting): () => void {
  let unanswered = 0;
  const answered = () => {
    unanswered = 0;
  };
  const look = setInterval(() => {
    if (waiting.isTooLong()) void thread.end('too_slow');
    else if (unanswered >= mostUnanswered) void thread.end('answer_too_costly');
    else if (unanswered === 0) thread.request({ kind: 'ping' }, 0).then(answered, answered);
    unanswered += 1;
  }, lookEveryMs);
  return () => clearInterval(look);
}

type Waiting = ReturnType<typeof newWaiting>;

/** A target that takes what is sent more slowly than this makes a step longer than it may be. */
const leastBytesPerMs = 100;

/** The time in which a target is waited for. Other work of a step is not its fault. */
function newWaiting({ stepMs, callMs }: Run['pace']) {
  let [pending, since, spentMs, allowedMs] = [0, 0, 0, stepMs];
  const openMs = () => (pending === 0 ? 0 : performance.now() - since);
  return {
    isTooLong: () => spentMs + openMs() > allowedMs,
    async during<T>(sentBytes: number, request: Promise<T>): Promise<T> {
      allowedMs += callMs + sentBytes / leastBytesPerMs;
      if (pending === 0) since = performance.now();
      pending += 1;
      try {
        return await request;
      } finally {
        if (pending === 1) spentMs += openMs();
        pending -= 1;
      }
    },
  };
}
