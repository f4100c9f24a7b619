import type { Order, Root } from './large-body.ts';

/** What the thread that reads large bodies is asked; `orders` begin a queue, null goes on with it. */
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
    }
  | { readonly kind: 'close'; readonly body: number };

/** An ask under way. */
export interface Question {
  readonly id: number;
  readonly ask: Ask;
}

/** A refusal, JSON, or null where there is no more; `failed` is the name of an error. */
export interface Answer {
  readonly id: number;
  readonly told: string | null;
  readonly failed: string | null;
}
