import type { DayLife } from '../life/day.ts';
import type { Minute } from '../life/minutes.ts';
import type { Span } from '../life/plan.ts';
import type { Person } from '../people.ts';
import { offsetMinutesAt } from '../zone.ts';

/** What all items of the device maker begin with. Its times are Unix seconds, offsets seconds ahead of UTC. */
export interface Head {
  readonly userId: string;
  readonly summaryId: string;
  readonly startTimeInSeconds: number;
  readonly startTimeOffsetInSeconds: number;
  readonly durationInSeconds: number;
}

/** The head of an item about a stretch of time. Its id holds the length, as the real ones do: it is no stable key. */
export function headOf(person: Person, { startMs, endMs }: Span): Head {
  const start = seconds(startMs);
  const duration = seconds(endMs - startMs);
  return {
    userId: person.account_id,
    summaryId: `${idOf(person, startMs)}-${duration.toString(16)}`,
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: offsetMinutesAt(person.traits.zone, startMs) * 60,
    durationInSeconds: duration,
  };
}

/** An id of something that has a start and no length. */
export function idOf(person: Person, startMs: number): string {
  return `x${person.account_id.slice(0, 8)}-${seconds(startMs).toString(16)}`;
}

/** Whole seconds of milliseconds. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Two decimals, as the device maker writes distances. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A map of offsets: what the device knows at each of `times`, by seconds after the start, as text. */
export function mapOf(
  startMs: number,
  values: Iterable<readonly [ms: number, value: number]>,
): Record<string, number> {
  const map: Record<string, number> = {};
  for (const [ms, value] of values) map[String(seconds(ms - startMs))] = value;
  return map;
}

/** What a device had counted of a day by an instant: nothing of the time when it was not worn. */
export function countedMinutes(day: DayLife, untilMs: number): readonly Minute[] {
  return day.minutes.filter((one) => one.worn && one.startMs + 60_000 <= untilMs);
}

/** Way walked or run: all that a step counter knows of. */
export function footMeters(minutes: readonly Minute[]): number {
  return minutes.reduce((sum, one) => sum + (one.on_foot ? one.meters : 0), 0);
}

/** Steps of minutes. */
export function stepsIn(minutes: readonly Minute[]): number {
  return minutes.reduce((sum, one) => sum + one.steps, 0);
}

/** Energy above rest, in kcal: 3.5 ml of oxygen per kg and minute are one MET, 200 ml a kcal. */
export function activeKilocalories(person: Person, minutes: readonly Minute[]): number {
  const above = minutes.reduce((sum, one) => sum + (one.met > 1.5 ? one.met - 1 : 0), 0);
  return Math.floor((above * 3.5 * person.traits.weight_kg) / 200);
}
