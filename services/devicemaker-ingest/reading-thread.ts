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

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<string | null>>;
  bodies: number;
  /** It read a body whose memory is better given back. */
  worn: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** Parsed and normalised, an item of 128 MiB takes about 700 MB; a thread that needs more ends alone. */
const resourceLimits = { maxOldGenerationSizeMb: 2048 };
const wornBytes = 16 * 1024 * 1024;
const idleMs = 30_000;

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
  const thread: Thread = { worker, waiting, bodies: 0, worn: false, idle: undefined };
  worker.on('message', ({ id, told, failed }: Answer) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    if (failed === null) answer?.resolve(told);
    else answer?.reject(new Error(`the reading thread failed: ${failed}`));
  });
  const end = (cause: unknown) => {
    if (current === thread) current = null;
    for (const answer of waiting.values()) answer.reject(new Error('the reading thread ended', { cause }));
    waiting.clear();
  };
  worker.on('error', end);
  worker.on('exit', end);
  current = thread;
  return thread;
}

function send({ worker, waiting }: Thread, ask: Ask): Promise<string | null> {
  const id = nextId();
  const answer = Promise.withResolvers<string | null>();
  waiting.set(id, answer);
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
