import type { SampleBlock, StoreItem } from './records.ts';

/** A sample has at most 30 characters of JSON in its two columns, so a part is smaller than 256 KB. */
const samplesPerPart = 8000;

/**
 * Splits an item with many samples into parts for separate calls. The first part contains the records. All parts except the
 * last are marked as incomplete; the last one marks the item as stored.
 */
export function partsOf(item: StoreItem, most = samplesPerPart): StoreItem[] {
  const loads = loadsOf(item.samples, most);
  const later = { ...item, workout: null, sleeps: [], day: null, epoch: null, other: null };
  return loads.map((samples, part) => ({
    ...(part === 0 ? item : later),
    samples,
    part,
    more: part < loads.length - 1,
  }));
}

function loadsOf(blocks: readonly SampleBlock[], most: number): SampleBlock[][] {
  const loads: SampleBlock[][] = [[]];
  let free = most;
  for (const block of blocks) {
    for (let from = 0; from < block.at.length; ) {
      if (free === 0) {
        loads.push([]);
        free = most;
      }
      const to = Math.min(block.at.length, from + free);
      loads.at(-1)?.push({ ...block, at: block.at.slice(from, to), values: block.values.slice(from, to) });
      free -= to - from;
      from = to;
    }
  }
  return loads;
}
