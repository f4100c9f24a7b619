import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import type { Entry, Skipped } from '../../../providers/file/entry.ts';
import type { Recording } from '../../../providers/file/recording.ts';
import { InputRefused } from '../../../runtime/reading-thread.ts';

/** What a reader needs besides the bytes. */
export interface ReadContext {
  readonly nowMs: number;
  readonly rules: VersionedRules | null;
  /** Completes a recording with what its archive states of it elsewhere. */
  readonly complete?: (recording: Recording) => Recording;
  /** The time zone of the user, if it is known. */
  readonly timeZone: string | null;
  /** The number of entries that are stored already. */
  readonly skip: number;
}

/** Entries in the order of the file. Null: an entry that is stored already and was not read again. */
export interface Entries {
  readonly entries: readonly (Entry | null)[];
  /** Problems of parts of entries, and of the file as a whole. They are no entries of their own. */
  readonly notes: readonly Skipped[];
  /** How much of the file was read, 0 to 1. */
  readonly progress: number;
}

/** Reads a file, always in the same order. @throws FileProblem after the entries before the problem */
export type EntryStream = AsyncGenerator<Entries, void, undefined>;

/** The bytes of a file, read by position. */
export interface FileBytes {
  readonly length: number;
  /** Bytes from a position on: at least one unless the file has ended, at most a part. @throws BytesUnavailable */
  from(position: number): Promise<Buffer>;
}

/** All bytes of a file in order. */
export async function* chunksOf(bytes: FileBytes): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const chunk = await bytes.from(at);
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}

/** A file cannot be read further. The message is a sentence for its user, and contains no value of the file. */
export class FileProblem extends InputRefused {}

/** A bound of the import is exceeded: what follows in its archive is not read either. */
export class BoundExceeded extends FileProblem {}

/** The stored bytes of a file cannot be read: the cause is the disk or the secret, not the file, so a later attempt may succeed. */
export class BytesUnavailable extends Error {}

/** An error while reading an archive means that it is damaged, unless its stored bytes could not be read. */
export function archiveProblem(error: unknown): Error {
  if (error instanceof FileProblem || error instanceof BytesUnavailable) return error;
  return new FileProblem('The archive is cut off or damaged.');
}

/** A file that unpacks to more is refused: an export of ten years has 8 GB. */
const mostUnpackedBytes = 32 * 1024 ** 3;
const mostMembers = 200_000;

/** What an import may unpack, over all levels of its archives. */
export class UnpackBudget {
  #bytes = 0;
  #members = 0;

  /** @throws BoundExceeded */
  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > mostUnpackedBytes) throw new BoundExceeded('The archive unpacks to too much.');
  }

  /** @throws BoundExceeded */
  addMembers(count: number): void {
    this.#members += count;
    if (this.#members > mostMembers) throw new BoundExceeded('The archive has too many files.');
  }
}
