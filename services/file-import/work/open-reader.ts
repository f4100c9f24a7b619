import { InputRefused, ReadingEnded, threadReader } from '../../../runtime/reading-thread.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';
import type { Cursor, ImportBatch } from '../rules/batch.ts';
import { FileProblem, type ReadContext } from '../rules/file-bytes.ts';
import type { FileKind } from '../rules/recognise.ts';
import type { KeptFilesSettings } from './file-folder.ts';

/** The file that the thread reads. */
export interface ReaderInput {
  readonly folder: KeptFilesSettings;
  readonly id: string;
  readonly bytes: number;
  readonly context: ReadContext;
  readonly cursor: Cursor;
}

/** What is known of a file before it is read. */
interface FileHead {
  readonly kind: FileKind;
  /** The number of members of an archive; null for a file that is none. */
  readonly members: number | null;
}

/** A file that is read in a thread: an export has minutes of work. */
interface FileReader extends FileHead {
  /** @throws FileProblem if the file cannot be read further */
  readonly batches: AsyncGenerator<ImportBatch, void, undefined>;
  readonly close: () => void;
}

/**
 * For each of two files a batch, a part of the file and what the parser holds. The phases of sleep of ten years take 30 MB. Where the
 * process has `--max-semi-space-size`, that counts for young objects.
 */
const heapLimits = { maxOldGenerationSizeMb: threadHeapMb(512), maxYoungGenerationSizeMb: 16 };

/** A batch takes seconds; the largest documents are the ones of an export. */
const longestBatchMs = 600_000;

/** Opens files in a thread with the given bounds. */
export function readerWith(resourceLimits = heapLimits, longestMs = longestBatchMs) {
  const module = new URL('./reader.worker.ts', import.meta.url);
  const settings = { module, resourceLimits, longestMs };
  const readInThread = threadReader<ReaderInput, FileHead, null, ImportBatch | null>(settings);
  return async ({ folder, ...rest }: ReaderInput): Promise<FileReader> => {
    const { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR, DISK_RESERVE_MIB } = folder;
    const input = { ...rest, folder: { DATA_DIR, ENCRYPTION_KEY, IMPORT_DIR, DISK_RESERVE_MIB } };
    const { head, pieces, close } = await readInThread(input, input.bytes).catch(throwProblem);
    return { ...head, batches: batchesOf(pieces(null)), close };
  };
}

/** Opens a file. @throws FileProblem */
export const openReader = readerWith();

async function* batchesOf(pieces: AsyncIterable<ImportBatch | null>): FileReader['batches'] {
  try {
    for await (const batch of pieces) if (batch !== null) yield batch;
  } catch (error) {
    throwProblem(error);
  }
}

const sentences = {
  memory: 'Reading the file takes too much memory.',
  time: 'Reading the file takes too long.',
};

// A file whose reading exceeds a bound is the cause.
function throwProblem(error: unknown): never {
  if (error instanceof InputRefused) throw new FileProblem(error.message);
  if (error instanceof ReadingEnded && error.exceeded !== null)
    throw new FileProblem(sentences[error.exceeded]);
  throw error;
}
