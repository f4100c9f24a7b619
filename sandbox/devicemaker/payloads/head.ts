import { seconds } from '../../day-simulation/counts.ts';
import type { Span } from '../../day-simulation/plan.ts';
import type { SimulatedUser } from '../../simulation/simulated-users.ts';
import { offsetMinutesAt } from '../../simulation/zone.ts';

/** The common fields of all items. Times are Unix seconds, offsets seconds ahead of UTC. */
export interface Head {
  readonly userId: string;
  readonly summaryId: string;
  readonly startTimeInSeconds: number;
  readonly startTimeOffsetInSeconds: number;
  readonly durationInSeconds: number;
}

/** The common fields of an item about a span. Its id contains the length, as real ones do, so it is not a stable key. */
export function headOf(user: SimulatedUser, { startMs, endMs }: Span): Head {
  const start = seconds(startMs);
  const duration = seconds(endMs - startMs);
  return {
    userId: user.account_id,
    summaryId: `${idOf(user, startMs)}-${duration.toString(16)}`,
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: offsetMinutesAt(user.traits.zone, startMs) * 60,
    durationInSeconds: duration,
  };
}

/** The id of an item that has a start and no length. */
export function idOf(user: SimulatedUser, startMs: number): string {
  return `x${user.account_id.slice(0, 8)}-${seconds(startMs).toString(16)}`;
}

/** A map of values by their offset from the start in seconds, as text. */
export function mapOf(
  startMs: number,
  values: Iterable<readonly [ms: number, value: number]>,
): Record<string, number> {
  const map: Record<string, number> = {};
  for (const [ms, value] of values) map[String(seconds(ms - startMs))] = value;
  return map;
}
