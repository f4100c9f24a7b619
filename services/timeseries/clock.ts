import type { StoreItem } from '../../domain/records.ts';
import type { ClockRow } from './queries/select-clock.ts';

/** The clock offset that an item reports in its records, otherwise in its samples. Null if it reports none. */
export function clockOf(item: StoreItem): ClockRow | null {
  const reported = [
    ...recordClocks(item),
    ...item.samples.map((block) => ({ ...block, start_ms: block.base_ms })),
  ];
  const known = reported.flatMap(({ start_ms, zone_offset_minutes }) =>
    zone_offset_minutes === null ? [] : [{ start_ms, zone_offset_minutes }],
  );
  return known.reduce<ClockRow | null>(later, null);
}

/** The one of two clocks that was reported for the later instant. */
export function later(a: ClockRow | null, b: ClockRow | null): ClockRow | null {
  if (a === null || b === null) return a ?? b;
  return b.start_ms >= a.start_ms ? b : a;
}

function recordClocks({ workout, day, sleeps, epoch, other }: StoreItem) {
  return [workout, day, epoch, other, ...sleeps].filter((record) => record !== null);
}
