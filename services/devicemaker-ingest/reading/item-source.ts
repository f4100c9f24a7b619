import { setImmediate as nextTurn } from 'node:timers/promises';
import { partsOf } from '../../../domain/item-parts.ts';
import type { StoreItem } from '../../../domain/records.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import type { Entry } from '../items/entries.ts';
import type { Run } from '../items/store-run.ts';

/** A part of an item that is ready to be stored, with its size in JSON. */
export interface StoreChunk {
  readonly entry: Entry;
  readonly part: StoreItem;
  readonly bytes: number;
}

/**
 * Normalises entries in their order; items that cannot be stored get their verdict, of the others the parts come one
 * by one. Ends early where the run does.
 */
export type ItemSource = (run: Run, entries: readonly Entry[]) => AsyncIterable<StoreChunk>;

/** Longer than this the event loop does not stay with one delivery. */
const sliceMs = 8;

/** Items that stand in their entries. */
export async function* itemsAtHand(run: Run, entries: readonly Entry[]): AsyncGenerator<StoreChunk> {
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > sliceMs) {
      await nextTurn();
      began = performance.now();
    }
    if (isOver(run)) return;
    const normalised = normalise(run, entry);
    judge(entry, normalised);
    if (!normalised.ok) continue;
    for (const part of partsOf(normalised.item))
      yield { entry, part, bytes: Buffer.byteLength(JSON.stringify(part)) };
  }
}

/** Whether nothing new is to be begun. */
export function isOver({ halted, signal }: Run): boolean {
  return halted || signal.aborted;
}

/** Notes what normalising an entry's item came to. */
export function judge(entry: Entry, { ok, problems }: Pick<Normalised, 'ok' | 'problems'>): void {
  entry.problems = problems;
  if (!ok) entry.status = 'validation_error';
}

// A normaliser does not throw; should one all the same, it costs its item and not the delivery.
function normalise(run: Run, entry: Entry): Normalised {
  try {
    return entry.type.normalise(entry.item, run.nowMs);
  } catch (error) {
    run.onBroken(entry, error);
    return { ok: false, problems: [{ field: '', reason: 'could not be read' }] };
  }
}
