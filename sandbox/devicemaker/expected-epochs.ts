import type { Epoch } from './payloads/epochs.ts';

/** The length of a slot if none of its parts contains one. */
const usualSlotSeconds = 900;

/**
 * The parts of slots that count, in the order of their deliveries. Of one slot and activity type the last delivery counts.
 * If the active times of the types exceed the slot, the newest that fit into it count.
 */
export function countedEpochs(deliveries: readonly Epoch[]): Epoch[] {
  return [...Map.groupBy(deliveries, ({ startTimeInSeconds }) => startTimeInSeconds).values()].flatMap(
    (slot) => newestThatFit(versionsOf(slot)),
  );
}

/** The last delivery of each activity type, oldest first. A repetition of the same version is not newer. */
function versionsOf(slot: readonly Epoch[]): Epoch[] {
  const versions = new Map<string, Epoch>();
  for (const part of slot) {
    const known = versions.get(part.activityType);
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(part)) continue;
    versions.delete(part.activityType);
    versions.set(part.activityType, part);
  }
  return [...versions.values()];
}

function newestThatFit(versions: readonly Epoch[]): Epoch[] {
  const length = Math.max(...versions.map(({ durationInSeconds }) => durationInSeconds)) || usualSlotSeconds;
  const counted: Epoch[] = [];
  let active = 0;
  for (const part of versions.toReversed()) {
    if (counted.length > 0 && active + part.activeTimeInSeconds > length) continue;
    counted.push(part);
    active += part.activeTimeInSeconds;
  }
  return counted;
}

/** The date and span of a daily record. */
export interface DaySpan {
  readonly date: string;
  readonly start_second: number;
  readonly duration_seconds: number;
}

/** The date of the daily record that covers an instant, the later one of several; null if there is none. */
export function dateByRecord(days: readonly DaySpan[], second: number): string | null {
  const covering = days.filter(
    ({ start_second, duration_seconds }) =>
      second >= start_second && second < start_second + duration_seconds,
  );
  return covering.toSorted((a, b) => b.start_second - a.start_second)[0]?.date ?? null;
}

/** The sedentary seconds of slots, by the date of the daily record that covers them. */
export function sedentarySeconds(
  counted: readonly Epoch[],
  days: readonly DaySpan[],
): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const { startTimeInSeconds, activeTimeInSeconds, intensity } of counted) {
    const date = dateByRecord(days, startTimeInSeconds);
    if (date === null) continue;
    const more = intensity === 'SEDENTARY' ? activeTimeInSeconds : 0;
    seconds.set(date, (seconds.get(date) ?? 0) + more);
  }
  return seconds;
}
