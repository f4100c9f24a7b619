import type { FileContent } from '../provider/record-file.ts';
import { knownLocalDate } from '../time/time.ts';
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
  /** Its times are those of a clock without a known offset, as if that were UTC. */
  readonly isLocal?: boolean;
  readonly device: string;
  /** What the file of the item says, where it names one. */
  readonly file?: FileContent;
  /** The samples that are stored of the item stay: its file cannot be had. */
  readonly keepsSamples?: true;
  /** The hash of the item as it was sent. Omitted: the record has that of its content. */
  readonly hash?: string;
}

/** The local day of an item, of a night that on which it ends. Null: neither the item nor its offset says it. */
export function dateOf({ draft, startMs, endMs, offset, isLocal = false }: Made): string | null {
  return draft.date ?? knownLocalDate(draft.sleep === undefined ? startMs : endMs, isLocal ? 0 : offset);
}
