import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import type { Entry, Skipped } from '../../../providers/file/entry.ts';
import { InputRefused } from '../../../runtime/reading-thread.ts';

/** What a reader needs besides the bytes. */
export interface ReadContext {
  readonly nowMs: number;
  readonly rules: VersionedRules | null;
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

/** The stored bytes of a file cannot be read: the cause is the disk or the secret, not the file, so a later attempt may succeed. */
export class BytesUnavailable extends Error {}

/** An error while reading an archive means that it is damaged, unless its stored bytes could not be read. */
export function archiveProblem(error: unknown): Error {
  if (error instanceof FileProblem || error instanceof BytesUnavailable) return error;
  return new FileProblem('The archive is cut off or damaged.');
}
