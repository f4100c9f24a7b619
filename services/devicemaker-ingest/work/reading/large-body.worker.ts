import { parentPort } from 'node:worker_threads';
import { LargeBody } from './large-body.ts';
import type { Answer, Ask, Question } from './large-body-asks.ts';

// The thread that reads large bodies. It processes one request at a time and sends nothing unrequested, so that the
// amount of data in transit is bounded.

interface Opened {
  readonly large: LargeBody;
  readonly queues: Map<number, Iterator<string, void>>;
}

const bodies = new Map<number, Opened>();

parentPort?.on('message', ({ id, ask }: Question) => parentPort?.postMessage(answerTo(id, ask)));

// Only the name of an error: its message may quote the body.
function answerTo(id: number, ask: Ask): Answer {
  try {
    return { id, text: textFor(ask), failed: null };
  } catch (error) {
    return { id, text: null, failed: error instanceof Error ? error.name : 'unknown' };
  }
}

function textFor(ask: Ask): string | null {
  if (ask.kind === 'open') return open(ask);
  const opened = bodies.get(ask.body);
  if (opened === undefined) throw new Error('the body was closed');
  if (ask.kind === 'stubs') return opened.large.stubs(ask.key, ask.piece) ?? null;
  if (ask.kind === 'batch') return nextBatch(opened, ask);
  bodies.delete(ask.body);
  return null;
}

function open({ body, bytes, root }: Extract<Ask, { kind: 'open' }>): string {
  const large = LargeBody.open(Buffer.from(bytes), root);
  if (typeof large === 'string') return large;
  bodies.set(body, { large, queues: new Map() });
  return JSON.stringify(large.outline);
}

function nextBatch({ large, queues }: Opened, ask: Extract<Ask, { kind: 'batch' }>): string | null {
  if (ask.orders !== null) queues.set(ask.queue, large.batches(ask.orders, ask.nowMs, ask.rules));
  const { value } = queues.get(ask.queue)?.next() ?? {};
  if (value === undefined) queues.delete(ask.queue);
  return value ?? null;
}
