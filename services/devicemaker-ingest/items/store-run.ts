import type { Call } from '../../../runtime/environment.ts';
import type { Entry } from './entries.ts';

/** A run of stores; `halted` holds the code of what is away for now. */
export interface Run {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** Told of an item that a normaliser of ours could not bear. */
  readonly onBroken: (entry: Entry, error: unknown) => void;
  /** Why the work cannot be finished now; the first reason stays. */
  failed: string | null;
  /** Nothing new is begun: the next call would fail as well. */
  halted: boolean;
  /** So many calls in a row may find the store away before that. */
  readonly patience: number;
  failuresInRow: number;
}
