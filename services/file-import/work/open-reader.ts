import { type ResourceLimits, Worker } from 'node:worker_threads';
import { fieldOf } from '../../../domain/error-code.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';
import type { ImportBatch } from '../rules/batch.ts';
import { FileProblem, type ReadContext } from '../rules/file-bytes.ts';
import type { FileKind } from '../rules/read-file.ts';
import type { FolderSettings } from './file-folder.ts';

/** The file that a thread reads. */
export interface ReaderInput {
  readonly folder: FolderSettings;
  readonly id: string;
  readonly bytes: number;
  readonly context: ReadContext;
}

/**
 * What the thread sends: the kind of the file, then a batch for each request, or `passed` for as many entries that are stored
 * already; `problem` is a sentence.
 */
export type ReaderMessage =
  | { readonly kind: FileKind }
  | { readonly passed: true }
  | { readonly batch: ImportBatch | null }
  | { readonly problem: string };

/** A file that is read in a thread of its own: an export has minutes of work. */
interface FileReader {
  readonly kind: FileKind;
  /** @throws FileProblem if the file cannot be read further */
  readonly batches: AsyncGenerator<ImportBatch, void, undefined>;
  readonly close: () => Promise<void>;
}

/**
 * A batch, a part of the file and what the parser holds. The phases of sleep of ten years take 30 MB. Where the process has
 * `--max-semi-space-size`, that counts for young objects.
 */
const resourceLimits = {
  maxOldGenerationSizeMb: threadHeapMb(256, { atOnce: 2 }),
  maxYoungGenerationSizeMb: 16,
};

/** The longest time without a batch. A batch takes seconds; the largest documents are the ones of an export. */
const longestMs = 600_000;

/** The bounds of a reading. */
interface ReaderBounds {
  /** Aborting it ends the reading: what waits for a batch is rejected with its reason. */
  readonly signal: AbortSignal;
  readonly limits?: ResourceLimits;
  readonly longestMs?: number;
}

/** Opens a file. @throws FileProblem, and the reason of `signal` */
export async function openReader(
  { folder, ...rest }: ReaderInput,
  { signal, ...bounds }: ReaderBounds,
): Promise<FileReader> {
  signal.throwIfAborted();
  const { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR } = folder;
  const workerData = { ...rest, folder: { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR } };
  const options = { workerData, resourceLimits: bounds.limits ?? resourceLimits };
  const worker = new Worker(new URL('./reader.worker.ts', import.meta.url), options);
  const { next, close } = messagesOf(worker, { signal, longestMs: bounds.longestMs ?? longestMs });
  try {
    const head = await next();
    if (!('kind' in head)) throw new Error('the reading thread did not begin');
    return { kind: head.kind, batches: batchesOf(worker, next, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Messages {
  /** The next message; one is waited for at a time. @throws FileProblem, and what ended the thread */
  readonly next: () => Promise<ReaderMessage>;
  readonly close: () => Promise<void>;
}

/**
 * The messages of a thread. Each is waited for with a promise of its own: a race with a promise that lives as long as the thread
 * would keep every batch in memory until the thread ends.
 */
function messagesOf(worker: Worker, { signal, longestMs }: Required<Omit<ReaderBounds, 'limits'>>): Messages {
  let waiting: PromiseWithResolvers<ReaderMessage> | null = null;
  let ending: { readonly cause: unknown } | null = null;
  const end = (cause: unknown) => {
    ending ??= { cause };
    waiting?.reject(ending.cause);
  };
  const abort = () => end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  worker.on('error', (error) => end(withCause(error)));
  worker.on('exit', () => end(new Error('the reading thread ended')));
  worker.on('message', (message: ReaderMessage) => {
    if ('problem' in message) waiting?.reject(new FileProblem(message.problem));
    else waiting?.resolve(message);
  });
  return {
    async next() {
      if (ending !== null) throw ending.cause;
      const message = Promise.withResolvers<ReaderMessage>();
      waiting = message;
      const expire = () => message.reject(new FileProblem('Reading the file takes too long.'));
      const timer = setTimeout(expire, longestMs);
      return message.promise.finally(() => clearTimeout(timer));
    },
    async close() {
      signal.removeEventListener('abort', abort);
      await worker.terminate();
    },
  };
}

// The thread reads a batch while the one before is stored, so that at most two are in memory.
async function* batchesOf(
  worker: Worker,
  next: () => Promise<ReaderMessage>,
  signal: AbortSignal,
): AsyncGenerator<ImportBatch, void, undefined> {
  const requested = () => {
    worker.postMessage('next');
    const message = next();
    message.catch(() => undefined); // the consumer may end before it takes the batch
    return message;
  };
  for (let pending = requested(); ; ) {
    const message = await pending;
    signal.throwIfAborted();
    if ('batch' in message && message.batch === null) return;
    pending = requested();
    if ('batch' in message && message.batch !== null) yield message.batch;
  }
}

// A thread that exceeds its memory ends with this error. The file is the cause.
function withCause(error: unknown): unknown {
  const isMemory = fieldOf(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new FileProblem('Reading the file takes too much memory.') : error;
}
