import type {
  FileContent,
  FileProblem,
  RecordFile,
  RecordFiles,
} from '../../../domain/provider/record-file.ts';
import { fileAddress } from '../../../domain/recipe/file-parts.ts';
import {
  byteLimit,
  type FetchFailure,
  type Guard,
  guardedFetch,
} from '../../../runtime/http/guarded-fetch.ts';
import { isLoopbackAddress } from '../../../runtime/http/public-address.ts';
import { InputRefused, ReadingEnded, threadReader } from '../../../runtime/reading-thread.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';

/** A file for the thread. */
export interface FileToRead {
  readonly bytes: Uint8Array;
  readonly format: RecordFile['format'];
  readonly nowMs: number;
}

const mebibyte = 1024 * 1024;

/** A recording of two days with all sensors has 20 MB. */
const limits: Pick<Guard, 'connectMs' | 'totalMs' | 'mostBytes' | 'held'> = {
  connectMs: 5000,
  totalMs: 30_000,
  mostBytes: 32 * mebibyte,
  held: byteLimit(128 * mebibyte),
};

const openFile = threadReader<FileToRead, FileContent, null, never>({
  module: new URL('./record-file.worker.ts', import.meta.url),
  resourceLimits: { maxOldGenerationSizeMb: threadHeapMb(512), maxYoungGenerationSizeMb: 16 },
  longestMs: 60_000,
});

/** The files of the records of a part. */
interface FilesOfPart {
  readonly file: RecordFile;
  readonly records: readonly unknown[];
  readonly nowMs: number;
  /** A file that is temporarily unavailable ends the reading: the part is read again later. */
  readonly canRetry: boolean;
}

/** Reads the files that records name. Null: the part has to be read again. */
export async function readFiles(
  settings: object,
  { file, records, nowMs, canRetry }: FilesOfPart,
  signal: AbortSignal,
): Promise<RecordFiles | null> {
  const files = new Map<string, FileContent | FileProblem>();
  const origins = file.origins(settings).filter(isSafe);
  for (const address of new Set(records.flatMap((record) => fileAddress(file, record) ?? []))) {
    if (signal.aborted) return null;
    const guard = { ...limits, media: 'any' as const, origins, signal };
    const content = await readFile(address, guard, { format: file.format, nowMs });
    if (content === 'file_unavailable' && (canRetry || signal.aborted)) return null;
    files.set(address, content);
  }
  return files;
}

// An address without TLS is one of this machine, such as that of the sandbox.
function isSafe(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || isLoopbackAddress(hostname);
}

async function readFile(
  address: string,
  guard: Guard,
  rest: Omit<FileToRead, 'bytes'>,
): Promise<FileContent | FileProblem> {
  if (!URL.canParse(address)) return 'file_refused';
  const fetched = await guardedFetch(new URL(address), guard);
  if (!fetched.ok) return problemOf(fetched.failure, fetched.status ?? 0);
  try {
    const { head, close } = await openFile({ bytes: fetched.body, ...rest }, fetched.body.length);
    close();
    return head;
  } catch (error) {
    if (error instanceof InputRefused) return 'file_unreadable';
    // A reading that broke no bound ended with another one that did.
    if (error instanceof ReadingEnded)
      return error.exceeded === null ? 'file_unavailable' : 'file_unreadable';
    throw error;
  } finally {
    fetched.release();
  }
}

const temporary = new Set([408, 425, 429]);

function problemOf(failure: FetchFailure, status: number): FileProblem {
  if (failure === 'status')
    return status >= 500 || temporary.has(status) ? 'file_unavailable' : 'file_missing';
  return problems[failure];
}

const problems: Readonly<Record<Exclude<FetchFailure, 'status'>, FileProblem>> = {
  origin_refused: 'file_refused',
  address_refused: 'file_refused',
  redirected: 'file_refused',
  not_json: 'file_unreadable',
  too_large: 'file_too_large',
  cut_off: 'file_unavailable',
  crowded: 'file_unavailable',
  unreachable: 'file_unavailable',
  timed_out: 'file_unavailable',
  stopped: 'file_unavailable',
};
