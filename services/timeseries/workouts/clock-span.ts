import type { WorkoutRecord } from '../../../domain/records/records.ts';

/** A start, and an end that does not count pauses, as the device maker sends them. */
export type TimedSpan = Pick<WorkoutRecord, 'start_ms' | 'end_ms'>;

interface Gap {
  readonly from_ms: number;
  readonly ms: number;
}

/**
 * The part of its details that an activity keeps, by the clock. Details that reach beyond their own duration had pauses:
 * these are their longest gaps. Each that begins within the activity moves its end.
 */
export function clockSpan(instants: readonly number[], details: TimedSpan, activity: TimedSpan): TimedSpan {
  const { start_ms } = activity;
  let { end_ms } = activity;
  for (const { from_ms, ms } of pausesOf(instants, details))
    if (from_ms >= start_ms && from_ms < end_ms) end_ms += ms;
  return { start_ms, end_ms };
}

function pausesOf(instants: readonly number[], { end_ms }: TimedSpan): Gap[] {
  const ordered = [...new Set(instants)].toSorted((a, b) => a - b);
  const gaps = ordered
    .slice(1)
    .map((ms, index): Gap => ({ from_ms: ordered[index] ?? ms, ms: ms - (ordered[index] ?? ms) }))
    .toSorted((a, b) => b.ms - a.ms);
  const usual = gaps[Math.floor(gaps.length / 2)]?.ms ?? 0;
  const last = ordered.at(-1) ?? end_ms;
  let left = last > end_ms ? last + usual - end_ms : 0;
  const pauses: Gap[] = [];
  for (const { from_ms, ms } of gaps) {
    const pause = Math.min(ms - usual, left);
    if (pause <= 0) break;
    pauses.push({ from_ms, ms: pause });
    left -= pause;
  }
  return pauses.toSorted((a, b) => a.from_ms - b.from_ms);
}
