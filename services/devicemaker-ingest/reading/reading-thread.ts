import { Worker } from 'node:worker_threads';
import type { Answer, Ask, Question } from './large-body-asks.ts';

/** A body that lies in the reading thread. */
export interface ReadBody {
  ask(ask: AskOfBody): Promise<string | null>;
  /** Lets the thread forget it. */
  close(): void;
}

/** An ask without the number of its body. */
export type AskOfBody = Ask extends infer A ? (A extends Ask ? Omit<A, 'body'> : never) : never;

/** The thread ended, mostly for want of memory. `isCause`: this ask was in work. */
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
  /** It read a body whose memory is better given back. */
  worn: boolean;
  idle: NodeJS.Timeout | undefined;
  /** Ends the thread when it does not answer. */
  watch: NodeJS.Timeout | undefined;
}

/** Parsed and normalised, an item of 128 MiB takes about 700 MB; a thread that needs more ends alone. */
const resourceLimits = { maxOldGenerationSizeMb: 1280 };
const wornBytes = 16 * 1024 * 1024;
const idleMs = 30_000;
/** An answer takes 3 s at most for 128 MiB of real items; a body that needs this long needs more memory than there is. */
const answerWithinMs = 60_000;

// One a process: the database takes what it reads at a tenth of its speed, and two would need the memory twice.
let current: Thread | null = null;
let lastId = 0;

/** Gives bytes a place in the reading thread, which is begun when there is none. */
export function placeInThread(bytes: number): ReadBody {
  const thread = current ?? startThread();
  const body = nextId();
  clearTimeout(thread.idle);
  thread.bodies += 1;
  thread.worn ||= bytes > wornBytes;
  thread.worker.ref();
  let open = true;
  return {
    // The number of a body is put in here, so that nobody asks for another's.
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
  worker.on('message', ({ id, told, failed }: Answer) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    watchAnswer(thread);
    if (failed === null) answer?.resolve(told);
    else answer?.reject(new Error(`the reading thread failed: ${failed}`));
  });
  // It answers in order: what waited longest was in work when it ended.
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

// The garbage collector of a thread that is out of memory may go on for minutes before it gives up.
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

// Without a body it holds no process up, and does not stay for long.
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
