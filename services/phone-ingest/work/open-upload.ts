import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';
import { readUpload, type UploadHead } from '../rules/upload-body.ts';

/** An upload whose items are read in batches. */
export interface OpenedUpload {
  readonly head: UploadHead;
  readonly batches: AsyncIterable<readonly UploadItem[]>;
  readonly close: () => Promise<void>;
}

/** Reading this size takes less than 20 ms. */
const mostBytesHere = 1024 * 1024;
/** The body lies outside of the heap, which has the values of a batch. A thread beyond the limit ends without ending the process. */
const resourceLimits = {
  maxOldGenerationSizeMb: threadHeapMb(256, { atOnce: 2 }),
  maxYoungGenerationSizeMb: 32,
};

/** The memory that work on a body takes: two large ones in parallel. */
export function weightOf(bodyBytes: number): number {
  return bodyBytes > mostBytesHere ? bodyBytes + 24 * 1024 * 1024 : bodyBytes;
}

/** Opens an upload. A large one is transferred to a thread of its own, because it would block the event loop for a second. */
export async function openUpload(
  body: Buffer,
  nowMs: number,
  timeZone: string | null,
): Promise<OpenedUpload> {
  if (body.length > mostBytesHere) return openInThread(body, nowMs, timeZone);
  const { head, batches } = readUpload(body, nowMs, timeZone);
  return { head, batches: inTurns(batches), close: async () => undefined };
}

async function* inTurns(batches: Iterable<UploadItem[]>): AsyncGenerator<UploadItem[]> {
  yield* batches;
}

async function openInThread(body: Buffer, nowMs: number, timeZone: string | null): Promise<OpenedUpload> {
  const bytes = new Uint8Array(body).buffer;
  const worker = new Worker(new URL('./upload.worker.ts', import.meta.url), {
    workerData: { bytes, nowMs, timeZone },
    transferList: [bytes],
    resourceLimits,
  });
  const next = async <T>(): Promise<T> => {
    const [message]: T[] = await Promise.race([once(worker, 'message'), ended(worker)]);
    if (message === undefined) throw new Error('the reading thread sent nothing');
    return message;
  };
  const head = await next<UploadHead>();
  async function* batches(): AsyncGenerator<readonly UploadItem[]> {
    for (;;) {
      worker.postMessage('next');
      const batch = await next<readonly UploadItem[] | null>();
      if (batch === null) return;
      yield batch;
    }
  }
  return { head, batches: batches(), close: async () => void (await worker.terminate()) };
}

async function ended(worker: Worker): Promise<never> {
  await once(worker, 'exit');
  throw new Error('the reading thread ended');
}
