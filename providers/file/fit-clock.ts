import { offsetIn } from '../../domain/time/clocks.ts';
import { dayMs, minuteMs } from '../../domain/time/time.ts';
import type { FitMessage, FitPart } from './fit-reader.ts';
import type { Point } from './recording.ts';

/*
 * Devices without a battery for their clock count from power-on until GPS or a phone sets it, and some are set during a recording. The
 * time between neighbouring points is right nevertheless. The end of an activity is by the clock that was set last.
 */

/** The instants of a file by its last clock. */
export interface ClockMap {
  /** The points in the order of the file. */
  readonly points: readonly Point[];
  /** The offset of the user's clock, by which the file states its times; null if it states them in UTC. */
  readonly offset: number | null;
  /** An instant of another message. */
  readonly at: (ms: number) => number;
  /** What the elapsed time of the session has too much. */
  readonly excessSeconds: number;
}

/** Smaller times are seconds since power-on: 0x10000000 seconds after the end of 1989. */
const firstDateMs = (0x10000000 + 631_065_600) * 1000;

/** Whether an instant is a date. */
export const isDate = (ms: number) => ms >= firstDateMs;

/** The clock of a file; a sentence if its times count from power-on and cannot be placed. */
export function clockMapOf(
  { messages }: FitPart,
  points: readonly Point[],
  timeZone: string | null,
): ClockMap | string {
  const { session: sessions, activity, event: events } = messages;
  const starts = sessions.flatMap(({ start_time }) => (typeof start_time === 'number' ? [start_time] : []));
  const instants = [...starts, ...points.map(({ ms }) => ms)];
  if (instants.length > 0 && !instants.some(isDate)) return ofPowerOn(activity.at(-1), points, timeZone);
  const unchanged = { points, offset: null, at: (ms: number) => ms, excessSeconds: 0 };
  return sessions.length > 1 ? unchanged : (withoutJumps(points, sessions[0], events) ?? unchanged);
}

// The end of the activity by both clocks says how far they differ.
function ofPowerOn(
  activity: FitMessage | undefined,
  points: readonly Point[],
  timeZone: string | null,
): ClockMap | string {
  const { timestamp, local_timestamp: local } = activity ?? {};
  const isStated = typeof local === 'number' && isDate(local);
  if (typeof timestamp !== 'number' || isDate(timestamp) || !isStated)
    return 'The times count from power-on, and the file states no date.';
  const offset = timeZone === null ? null : offsetIn(timeZone, local, true);
  if (offset === null) return 'The times count from power-on, and the time zone of the user is not known.';
  const at = (ms: number) => ms + local - offset * minuteMs - timestamp;
  return { points: points.map((point) => ({ ...point, ms: at(point.ms) })), offset, at, excessSeconds: 0 };
}

/** A step of the clock before a point. */
interface Jump {
  readonly index: number;
  readonly ms: number;
}

const leastJumpMs = 5 * minuteMs;
const leastBackMs = minuteMs;

/**
 * The points without the steps of the clock; null if there are none. A long time between two points may be a pause. It is a step if
 * the timer was not stopped there, and the session lasted as long as the points without it: by its elapsed time, or by its timer if
 * the elapsed time was taken from the clock. Without a session only a day is one.
 */
function withoutJumps(
  points: readonly Point[],
  session: FitMessage | undefined,
  events: readonly FitMessage[],
): ClockMap | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const jumps = jumpsIn(points, events);
  if (jumps.length === 0) return null;
  const ofDays = jumps.filter(({ ms }) => Math.abs(ms) > dayMs);
  const { total_elapsed_time: elapsed, total_timer_time: timer } = session ?? {};
  const lasts = (seconds: number, steps: readonly Jump[]) =>
    Math.abs(last.ms - first.ms - sumOf(steps) - seconds * 1000) <= Math.max(minuteMs, seconds * 50);
  if (typeof elapsed !== 'number') return ofDays.length === 0 ? null : moved(points, ofDays, 0);
  if (lasts(elapsed, jumps)) return moved(points, jumps, 0);
  if (typeof timer !== 'number' || ofDays.length === 0 || !lasts(timer, ofDays)) return null;
  return moved(points, ofDays, sumOf(ofDays) / 1000);
}

const sumOf = (jumps: readonly Jump[]) => jumps.reduce((sum, { ms }) => sum + ms, 0);

function jumpsIn(points: readonly Point[], events: readonly FitMessage[]): Jump[] {
  const step = usualStepOf(points);
  return points.flatMap(({ ms }, index): Jump[] => {
    const before = points[index - 1]?.ms ?? ms;
    const passed = ms - before;
    const isJump = passed > leastJumpMs ? !isStopped(events, before, ms) : passed < -leastBackMs;
    return isJump ? [{ index, ms: passed - step }] : [];
  });
}

function usualStepOf(points: readonly Point[]): number {
  const steps = points.flatMap(({ ms }, index) => {
    const passed = ms - (points[index - 1]?.ms ?? ms);
    return passed > 0 && passed <= minuteMs ? [passed] : [];
  });
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 1000;
}

const timer = 0;
/** `stop`, `stop_all`, `stop_disable` and `stop_disable_all`. */
const stops: ReadonlySet<unknown> = new Set([1, 4, 8, 9]);

function isStopped(events: readonly FitMessage[], fromMs: number, toMs: number): boolean {
  return events.some(
    ({ event, event_type, timestamp: ms }) =>
      event === timer && stops.has(event_type) && typeof ms === 'number' && ms >= fromMs && ms < toMs,
  );
}

function moved(points: readonly Point[], jumps: readonly Jump[], excessSeconds: number): ClockMap {
  const borders = [0, ...jumps.map(({ index }) => index), points.length];
  const sections = borders.slice(1).map((end, section) => {
    const shift = jumps.slice(section).reduce((sum, { ms }) => sum + ms, 0);
    const own = points.slice(borders[section], end);
    return { shift, points: own, fromMs: own[0]?.ms ?? Number.NaN, toMs: own.at(-1)?.ms ?? Number.NaN };
  });
  const distance = ({ fromMs, toMs }: (typeof sections)[number], ms: number) =>
    Math.max(fromMs - ms, ms - toMs, 0);
  // Of two sections at the same distance the later one has the clock of the end.
  const at = (ms: number) => {
    const nearest = sections.reduce((best, one) => (distance(one, ms) <= distance(best, ms) ? one : best));
    return ms + nearest.shift;
  };
  const shifted = sections.flatMap(({ shift, points: own }) =>
    own.map((point) => ({ ...point, ms: point.ms + shift })),
  );
  return { points: shifted, offset: null, at, excessSeconds };
}
