import type { Point, SeriesValue } from '../../domain/recipe/draft.ts';
import { type Item, instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';
import { clockMs, localMs } from '../../domain/time/local-times.ts';
import { dateToMs, dayMs, hourMs, isoTime, minuteMs, type Range } from '../../domain/time/time.ts';

/** Seconds as an ISO 8601 duration. */
export const isoDuration = (seconds: unknown): string => `PT${Math.round(Number(seconds))}S`;

/** An instant on a clock, as `localMs` reads it. */
export const onClock = (ms: number, offsetMinutes = 0): string =>
  isoTime(ms + offsetMinutes * minuteMs).slice(0, 19);

/** Points as a map by `HH:MM` of a clock. */
export const clockMap = (points: SeriesValue | undefined, offsetMinutes?: number): Record<string, number> =>
  Object.fromEntries(
    (Array.isArray(points) ? points : []).map(([ms, value]) => [
      onClock(ms, offsetMinutes).slice(11, 16),
      value,
    ]),
  );

/** Whether a local time or date of a listed record is within a day of a span: its offset is not known yet. */
export const isAround =
  (name: string) =>
  (listed: Item, { startMs, endMs }: Range): boolean => {
    const ms = localMs(listed[name]) ?? localMs('00:00', listed[name]);
    return ms !== null && ms >= startMs - dayMs && ms < endMs + dayMs;
  };

/** A map may begin so long before the start of its night, because its times are rounded. */
const earlyMs = 60 * minuteMs;

/** The values of a map by `HH:MM` of a clock, from a start on that clock and over midnight, in order of time. */
function clockPoints(map: unknown, startMs: number): Point[] {
  const sinceStart = (ms: number) => (((ms - startMs + earlyMs) % dayMs) + dayMs) % dayMs;
  return valuesOf(map)
    .map(([ms, value]) => [startMs + sinceStart(ms) - earlyMs, value] as const)
    .sort(([a], [b]) => a - b);
}

/** The values of a map by the clock of a start with an offset, in UTC. */
export function clockPointsFrom(map: unknown, start: unknown): Point[] {
  const from = instantWithOffset(start);
  if (from === null) return [];
  const shift = (from.offset ?? 0) * minuteMs;
  return clockPoints(map, from.ms + shift).map(([ms, value]) => [ms - shift, value] as const);
}

/** The seconds from one local time to another. Null: one of them is none. */
export function localSeconds(start: unknown, end: unknown): number | null {
  const [from, to] = [localMs(start), localMs(end)];
  return from === null || to === null ? null : (to - from) / 1000;
}

/** A night whose values end before midnight begins after this time of day. */
const eveningMs = 18 * hourMs;

/**
 * The values of a map by `HH:MM` of a night that ended on a date. The night begins after the longest time without a value; if it
 * goes over midnight or begins in the evening, it began on the day before.
 */
export function nightPoints(map: unknown, date: string): Point[] {
  const values = valuesOf(map).sort(([a], [b]) => a - b);
  const gapBefore = (index: number) => {
    const [ms = 0] = values[index] ?? [];
    const [former = 0] = values.at(index - 1) ?? [];
    return index === 0 ? ms - former + dayMs : ms - former;
  };
  const first = values.reduce((best, _, index) => (gapBefore(index) > gapBefore(best) ? index : best), 0);
  const midnightMs = dateToMs(date);
  const shift = first > 0 || (values[first]?.[0] ?? 0) >= eveningMs ? dayMs : 0;
  const before = values.slice(first).map(([ms, value]) => [midnightMs + ms - shift, value]);
  const after = values.slice(0, first).map(([ms, value]) => [midnightMs + ms, value]);
  return [...before, ...after].map(([ms = 0, value = 0]) => [ms, value] as const);
}

function valuesOf(map: unknown): [number, number][] {
  if (!isItem(map)) return [];
  return Object.entries(map).flatMap(([name, value]): [number, number][] => {
    const ms = clockMs(name);
    return ms === null || typeof value !== 'number' ? [] : [[ms, value]];
  });
}
