import type { Call } from '../../../runtime/environment.ts';
import type { Entry } from './entries.ts';

/** State of storing one delivery. */
export interface Run {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** When the delivery arrived. */
  readonly receivedMs: number;
  /** The delivery was processed before. */
  readonly isReprocess: boolean;
  /** Called with an item whose normaliser threw. */
  readonly onBroken: (entry: Entry, error: unknown) => void;
  /** Called with the names of an item's fields that its table does not list. */
  readonly onUnlisted?: (type: string, names: readonly string[]) => void;
  /** The code of the first error because of which the work cannot be finished now. */
  failed: string | null;
  /** No new call begins, because it would fail too. */
  halted: boolean;
  /** Number of consecutive failed calls before `halted` is set. */
  readonly patience: number;
  failuresInRow: number;
}
