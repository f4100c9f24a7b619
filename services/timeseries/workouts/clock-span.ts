import type { WorkoutRecord } from '../../../domain/records/records.ts';
import type { WorkoutPart } from './merge-workouts.ts';

/** A start, and an end that does not count pauses, as the device maker sends them. */
export type TimedSpan = Pick<WorkoutRecord, 'start_ms' | 'end_ms'>;

interface Gap {
  readonly from_ms: number;
  readonly ms: number;
}

/**
 * The part of its details that an activity keeps, by the clock. Details that reach beyond their own duration, or beyond that of the
 * activity before it was cropped, had pauses: those that their samples say, otherwise their longest gaps. Each that begins within the
 * activity moves its end. Some senders count the pauses in the duration of the details.
 */
export function clockSpan(
  instants: readonly number[],
  details: TimedSpan & Pick<WorkoutPart, 'pauses'>,
  activity: TimedSpan & Pick<WorkoutPart, 'uncropped_end_ms'>,
): TimedSpan {
  const { start_ms } = activity;
  let { end_ms } = activity;
  const own = Math.min(details.end_ms, activity.uncropped_end_ms ?? details.end_ms);
  for (const { from_ms, ms } of pausesOf(instants, own, details.pauses))
    if (from_ms >= start_ms && from_ms < end_ms) end_ms += ms;
  return { start_ms, end_ms };
}

function pausesOf(instants: readonly number[], endMs: number, known: WorkoutPart['pauses']): Gap[] {
  const ordered = [...new Set(instants)].toSorted((a, b) => a - b);
  const gaps = ordered
    .slice(1)
    .map((ms, index): Gap => ({ from_ms: ordered[index] ?? ms, ms: ms - (ordered[index] ?? ms) }))
    .toSorted((a, b) => b.ms - a.ms);
  const usual = gaps[Math.floor(gaps.length / 2)]?.ms ?? 0;
  const last = ordered.at(-1) ?? endMs;
  let left = last > endMs ? last + usual - endMs : 0;
  if (known !== undefined) return left === 0 ? [] : known.map(([from_ms, ms]) => ({ from_ms, ms }));
  const pauses: Gap[] = [];
  for (const { from_ms, ms } of gaps) {
    const pause = Math.min(ms - usual, left);
    if (pause <= 0) break;
    pauses.push({ from_ms, ms: pause });
    left -= pause;
  }
  return pauses.toSorted((a, b) => a.from_ms - b.from_ms);
}
