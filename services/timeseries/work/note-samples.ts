import type { StoreItem } from '../../../domain/records/records.ts';
import {
  decodeFootprint,
  encodeFootprint,
  type Footstep,
  stepHash,
  stepsAfter,
} from '../tables/footprint.ts';
import { daysOf, type PlacedBlock } from './placed-blocks.ts';
import type { StoredItems } from './stored-items.ts';

/** The items of a call, and those of them that are stored now. */
interface NotedItems {
  readonly items: readonly StoreItem[];
  readonly stored: ReadonlySet<StoreItem>;
  readonly storedItems: StoredItems;
}

/**
 * Records which samples the items of a call have brought. Samples of activities are known from their blocks, those of slots
 * from the parts of the slots.
 */
export function noteSamples(
  { items, stored, storedItems }: NotedItems,
  placed: readonly PlacedBlock[],
): void {
  const byItem = Map.groupBy(placed, ({ item }) => item);
  for (const [index, item] of items.entries()) {
    const row = storedItems.get(item);
    if (item.epoch !== null || row === undefined || !stored.has(item)) continue;
    const hash = stepHash(item.hash);
    const brought = (byItem.get(index) ?? []).flatMap((block) => stepsOf(block, hash));
    const before = decodeFootprint(row.footprint);
    if (brought.length === 0 && before.length === 0) continue;
    const steps = stepsAfter(before, brought, { hash, isFirst: item.part === 0 });
    storedItems.noteSamples(item, encodeFootprint(steps));
  }
}

function stepsOf(block: PlacedBlock, hash: string): Footstep[] {
  return daysOf(block).map(({ series_id, times }) => ({ hash, series_id, times }));
}
