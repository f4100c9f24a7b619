import type { Epoch } from './payloads/epochs.ts';

/** A slot's length where no part of it states one. */
const usualSlotSeconds = 900;

/**
 * The parts of slots that count, of all that were delivered, in the order of their deliveries: of one slot and activity
 * type the last one; of types that are together active for longer than the slot the newest that have room in it.
 */
export function countedEpochs(deliveries: readonly Epoch[]): Epoch[] {
  return [...Map.groupBy(deliveries, ({ startTimeInSeconds }) => startTimeInSeconds).values()].flatMap(
    (slot) => newestThatFit(versionsOf(slot)),
  );
}

/** The last delivery of each activity type, oldest first. One that repeats the version before it is no newer. */
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

/** What a daily record covers. */
export interface DaySpan {
  readonly date: string;
  readonly start_second: number;
  readonly duration_seconds: number;
}

/** The date of each instant: that of the daily record that covers it, of several the one that begins later; else null. */
export function dateByRecord(days: readonly DaySpan[], second: number): string | null {
  const covering = days.filter(
    ({ start_second, duration_seconds }) =>
      second >= start_second && second < start_second + duration_seconds,
  );
  return covering.toSorted((a, b) => b.start_second - a.start_second)[0]?.date ?? null;
}

/** How many seconds of slots nobody moved, by the date of the daily record that covers them. */
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
