import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import type { Entry, Skipped } from '../../../providers/file/entry.ts';

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
