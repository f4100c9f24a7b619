import type { ServiceError } from '../../domain/errors.ts';
import type { Lease } from './delivery.ts';
import type { Progress } from './inbox-progress.ts';

/** A delivery in progress. `signal` aborts when the process stops or the lease is lost: no new step may begin then. */
export interface Job extends Lease {
  /**
   * The delivery was processed before: its items replace what an earlier normaliser made of them, and nothing else follows
   * from it.
   */
  readonly isReprocess: boolean;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Results of earlier attempts. */
  readonly progress: Progress;
  /** How long the delivery waited for a free slot. Its sender waited for the same time. */
  readonly waited_ms: number;
}

/**
 * The outcome of a job. `done`: finished (`warning`: a code
 * that the delivery keeps as its error, because items of it were not stored). `later`: a dependency is unavailable (`reason` is a code; `delayMs` replaces the default backoff). `stopped`: the signal ended
 * it. `refused`: it can never succeed; the waiting caller, if any, gets the error.
 */
export type Outcome =
  | {
      readonly kind: 'done';
      readonly answer: unknown;
      readonly warning?: string | null;
    }
  | { readonly kind: 'later'; readonly reason: string; readonly answer: unknown; readonly delayMs?: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly error: ServiceError; readonly answer: unknown };
