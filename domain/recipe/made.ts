import type { Draft } from './draft.ts';
import type { Item } from './read-fields.ts';

/** An item that can be stored, with its times. */
export interface Made {
  readonly item: Item;
  /** The name of the pass that read it. */
  readonly pass: string;
  readonly draft: Draft;
  readonly startMs: number;
  readonly endMs: number;
  readonly offset: number | null;
  readonly date: string | null;
  readonly device: string;
}
