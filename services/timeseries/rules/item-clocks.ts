import type { StoreItem } from '../../../domain/records/records.ts';

/** The clock that an item reports for those of its parts without one: the latest. Null if it reports none. */
export function ownClock(item: StoreItem): number | null {
  let latest: { start_ms: number; offset: number } | null = null;
  for (const { start_ms, zone_offset_minutes: offset } of [...clockedParts(item), ...item.scores])
    if (offset !== null && start_ms >= (latest?.start_ms ?? Number.NEGATIVE_INFINITY))
      latest = { start_ms, offset };
  return latest?.offset ?? null;
}

/** The parts of items that are dated by their offset. */
export function datedParts(items: readonly StoreItem[]) {
  const days = items.flatMap(({ day_values, scores }) =>
    day_values === null ? scores : [day_values, ...scores],
  );
  return [...items.flatMap(clockedParts), ...days.filter(({ date }) => date === null)];
}

/** The parts of an item that may state an offset. */
export function clockedParts({ workout, day, sleeps, epoch, other, samples }: StoreItem) {
  const records = [workout, day, epoch, other, ...sleeps].filter((record) => record !== null);
  return [...records, ...samples.map((block) => ({ ...block, start_ms: block.base_ms }))];
}
