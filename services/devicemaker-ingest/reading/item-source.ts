import { setImmediate as nextTurn } from 'node:timers/promises';
import { partsOf } from '../../../domain/item-parts.ts';
import type { StoreItem } from '../../../domain/records.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import type { Entry } from '../items/entries.ts';
import type { Run } from '../items/store-run.ts';

/** A normalised part of an item, with its size in JSON. */
export interface StoreChunk {
  readonly entry: Entry;
  readonly part: StoreItem;
  readonly bytes: number;
}

/**
 * Normalises entries in order. Items that cannot be stored get their status, the parts of the others are yielded one by
 * one. Ends early with the run.
 */
export type ItemSource = (run: Run, entries: readonly Entry[]) => AsyncIterable<StoreChunk>;

/** Maximum time that one delivery blocks the event loop. */
const sliceMs = 8;

/** Items that are in memory. */
export async function* itemsAtHand(run: Run, entries: readonly Entry[]): AsyncGenerator<StoreChunk> {
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > sliceMs) {
      await nextTurn();
      began = performance.now();
    }
    if (isOver(run)) return;
    const normalised = normalise(run, entry);
    setStatus(entry, normalised);
    if (!normalised.ok) continue;
    for (const part of partsOf(normalised.item))
      yield { entry, part, bytes: Buffer.byteLength(JSON.stringify(part)) };
  }
}

/** Whether no new work may begin. */
export function isOver({ halted, signal }: Run): boolean {
  return halted || signal.aborted;
}

/** Records the result of normalising an entry's item. */
export function setStatus(entry: Entry, { ok, problems }: Pick<Normalised, 'ok' | 'problems'>): void {
  entry.problems = problems;
  if (!ok) entry.status = 'validation_error';
}

// Normalisers do not throw. If one does, only its item is rejected.
function normalise(run: Run, entry: Entry): Normalised {
  try {
    return entry.type.normalise(entry.item, run.nowMs);
  } catch (error) {
    run.onBroken(entry, error);
    return { ok: false, problems: [{ field: '', reason: 'could not be read' }] };
  }
}
