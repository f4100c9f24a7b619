import type { VersionedRules } from '../../../../domain/workouts/cut-chunks.ts';
import type { Order, Root } from './large-body.ts';

/** A request to the reading thread. `orders` starts a queue, null continues it. */
export type Ask =
  | {
      readonly kind: 'open';
      readonly body: number;
      readonly bytes: ArrayBufferLike;
      readonly root: Root;
    }
  | { readonly kind: 'stubs'; readonly body: number; readonly key: string; readonly piece: number }
  | {
      readonly kind: 'batch';
      readonly body: number;
      readonly queue: number;
      readonly orders: readonly Order[] | null;
      readonly nowMs: number;
      readonly rules: VersionedRules | null;
    }
  | { readonly kind: 'close'; readonly body: number };

/** A pending request. */
export interface Question {
  readonly id: number;
  readonly ask: Ask;
}

/** An answer: a refusal, JSON, or null at the end. `failed` is the name of an error. */
export interface Answer {
  readonly id: number;
  readonly text: string | null;
  readonly failed: string | null;
}
