/** Counts bytes as they arrive. It throws to refuse them. */
export type CountBytes = (bytes: number) => void;

/** What bounds the reading of one body. */
export interface Reading {
  readonly limitBytes: number;
  /** How many bytes a compressed byte may unpack to. */
  readonly maxRatio: number;
  /** How long a small body may take; a large one has more time (body-deadline.ts). */
  readonly timeoutMs: number;
  readonly count: CountBytes;
  /** Aborting it ends the reading; its reason is thrown. */
  readonly ending: AbortController;
}
