import { once } from 'node:events';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { fieldOf } from '../../../domain/error-code.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';
import type { ImportBatch } from './batch.ts';
import type { FolderSettings } from './file-folder.ts';
import { FileProblem } from './file-problem.ts';
import type { ReadContext } from './read-context.ts';
import type { FileKind } from './read-file.ts';

/** The file that a thread reads. */
export interface ReaderInput {
  readonly folder: FolderSettings;
  readonly id: string;
  readonly bytes: number;
  readonly context: ReadContext;
}

/** What the thread sends: the kind of the file, then a batch for each request; `problem` is a sentence. */
export type ReaderMessage =
  | { readonly kind: FileKind }
  | { readonly batch: ImportBatch | null }
  | { readonly problem: string };

/** A file that is read in a thread of its own: an export has minutes of work. */
export interface FileReader {
  readonly kind: FileKind;
  /** @throws FileProblem if the file cannot be read further */
  readonly batches: AsyncGenerator<ImportBatch, void, undefined>;
  readonly close: () => Promise<void>;
}

/** A batch, a part of the file and what the parser holds. The phases of sleep of ten years take 30 MB. */
const resourceLimits = {
  maxOldGenerationSizeMb: threadHeapMb(256, { atOnce: 2 }),
  maxYoungGenerationSizeMb: 32,
};

/** Opens a file. @throws FileProblem */
export async function openReader(
  { folder, ...rest }: ReaderInput,
  limits: ResourceLimits = resourceLimits,
): Promise<FileReader> {
  const { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR } = folder;
  const workerData = { ...rest, folder: { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR } };
  const options = { workerData, resourceLimits: limits };
  const worker = new Worker(new URL('./reader.worker.ts', import.meta.url), options);
  const close = async () => void (await worker.terminate());
  const end = ended(worker);
  end.catch(() => undefined); // it also ends when it is closed
  const next = async (): Promise<ReaderMessage> => {
    const answer: Promise<ReaderMessage[]> = Promise.race([once(worker, 'message'), end]);
    const [message] = await answer.catch(throwNamed);
    if (message === undefined) throw new Error('the reading thread sent nothing');
    if ('problem' in message) throw new FileProblem(message.problem);
    return message;
  };
  try {
    const head = await next();
    if (!('kind' in head)) throw new Error('the reading thread did not begin');
    return { kind: head.kind, batches: batchesOf(worker, next), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* batchesOf(
  worker: Worker,
  next: () => Promise<ReaderMessage>,
): AsyncGenerator<ImportBatch, void, undefined> {
  for (;;) {
    worker.postMessage('next');
    const message = await next();
    if (!('batch' in message) || message.batch === null) return;
    yield message.batch;
  }
}

async function ended(worker: Worker): Promise<never> {
  await once(worker, 'exit');
  throw new Error('the reading thread ended');
}

// Beyond its memory a thread ends with this error; the file is the cause.
function throwNamed(error: unknown): never {
  const isMemory = fieldOf(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
  throw isMemory ? new FileProblem('Reading the file takes too much memory.') : error;
}
