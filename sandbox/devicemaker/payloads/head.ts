import { seconds } from '../../life/counts.ts';
import type { Span } from '../../life/plan.ts';
import type { Person } from '../../people.ts';
import { offsetMinutesAt } from '../../zone.ts';

/** The fields that every item begins with. Times are Unix seconds, offsets seconds ahead of UTC. */
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

/** A map of offsets: what the device knows at each of `times`, by seconds after the start, as text. */
export function mapOf(
  startMs: number,
  values: Iterable<readonly [ms: number, value: number]>,
): Record<string, number> {
  const map: Record<string, number> = {};
  for (const [ms, value] of values) map[String(seconds(ms - startMs))] = value;
  return map;
}
