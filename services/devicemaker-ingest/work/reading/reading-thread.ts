import { Worker } from 'node:worker_threads';
import { threadHeapMb } from '../../../../runtime/thread-heap.ts';
import type { Answer, Ask, Question } from './large-body-asks.ts';

/** A body in the memory of the reading thread. */
export interface ReadBody {
  ask(ask: AskOfBody): Promise<string | null>;
  /** Frees the body in the thread. */
  close(): void;
}

/** A request without the number of its body. */
type AskOfBody = Ask extends infer A ? (A extends Ask ? Omit<A, 'body'> : never) : never;

/** The thread ended, usually because it ran out of memory. `isCause`: it was processing this request. */
export class ThreadEnded extends Error {
  readonly isCause: boolean;

  constructor(isCause: boolean, cause: unknown) {
    super('the reading thread ended', { cause });
    this.isCause = isCause;
  }
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<string | null>>;
  bodies: number;
  /** It has read a body, so it is replaced to return its memory. */
  worn: boolean;
  idle: NodeJS.Timeout | undefined;
  /** Ends the thread if it does not answer. */
  watch: NodeJS.Timeout | undefined;
}

/**
 * A parsed and normalised item of 128 MiB takes about 700 MB. A thread that exceeds the limit ends without ending the
 * process.
 */
const resourceLimits = { maxOldGenerationSizeMb: threadHeapMb(1280) };
const wornBytes = 16 * 1024 * 1024;
const idleMs = 30_000;
/**
 * An answer takes at most 3 s for 128 MiB of real items. A body that takes this long needs more memory than the limit.
 */
const answerWithinMs = 60_000;

// One thread per process: the database stores at a tenth of its reading speed, and a second thread would double the
// memory.
let current: Thread | null = null;
let lastId = 0;

/** Transfers bytes to the reading thread and starts the thread if necessary. */
export function sendToThread(bytes: number): ReadBody {
  const thread = current ?? startThread();
  const body = nextId();
  clearTimeout(thread.idle);
  thread.bodies += 1;
  thread.worn ||= bytes > wornBytes;
  thread.worker.ref();
  let open = true;
  return {
    // The body's number is added here, so that a caller can only address its own body.
    ask: (ask) => send(thread, { ...ask, body }),
    close() {
      if (!open) return;
      open = false;
      send(thread, { kind: 'close', body }).catch(() => undefined);
      leave(thread);
    },
  };
}

function startThread(): Thread {
  const worker = new Worker(new URL('./large-body.worker.ts', import.meta.url), { resourceLimits });
  const waiting: Thread['waiting'] = new Map();
  const thread: Thread = { worker, waiting, bodies: 0, worn: false, idle: undefined, watch: undefined };
  worker.on('message', ({ id, text, failed }: Answer) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    watchAnswer(thread);
    if (failed === null) answer?.resolve(text);
    else answer?.reject(new Error(`the reading thread failed: ${failed}`));
  });
  // Requests are answered in order: the oldest pending one was being processed when the thread ended.
  const end = (cause: unknown) => {
    if (current === thread) current = null;
    clearTimeout(thread.watch);
    for (const [index, answer] of [...waiting.values()].entries())
      answer.reject(new ThreadEnded(index === 0, cause));
    waiting.clear();
  };
  worker.on('error', end);
  worker.on('exit', end);
  current = thread;
  return thread;
}

// The garbage collector of a thread that is out of memory may run for minutes before the thread ends.
function watchAnswer(thread: Thread): void {
  clearTimeout(thread.watch);
  if (thread.waiting.size > 0)
    thread.watch = setTimeout(() => void thread.worker.terminate(), answerWithinMs).unref();
}

function send(thread: Thread, ask: Ask): Promise<string | null> {
  const { worker, waiting } = thread;
  const id = nextId();
  const answer = Promise.withResolvers<string | null>();
  waiting.set(id, answer);
  if (waiting.size === 1) watchAnswer(thread);
  const question: Question = { id, ask };
  const transfer = ask.kind === 'open' && ask.bytes instanceof ArrayBuffer ? [ask.bytes] : [];
  worker.postMessage(question, transfer);
  return answer.promise;
}

// Without a body the thread does not keep the process alive, and ends soon.
function leave(thread: Thread): void {
  thread.bodies -= 1;
  if (thread.bodies > 0) return;
  thread.worker.unref();
  const end = () => {
    if (current === thread) current = null;
    void thread.worker.terminate();
  };
  if (thread.worn) end();
  else thread.idle = setTimeout(end, idleMs).unref();
}

function nextId(): number {
  lastId += 1;
  return lastId;
}
