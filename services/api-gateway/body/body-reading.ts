/** Counts bytes as they arrive. It throws to refuse them. */
export type CountBytes = (bytes: number) => void;

/** The bounds of the reading of one body. */
export interface Reading {
  readonly limitBytes: number;
  /** The maximum ratio of decompressed to compressed bytes. */
  readonly maxRatio: number;
  /** The maximum duration of a small body; a large one has more time (body-deadline.ts). */
  readonly timeoutMs: number;
  readonly count: CountBytes;
  /** Aborting it ends the reading; its reason is thrown. */
  readonly ending: AbortController;
}
