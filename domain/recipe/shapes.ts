import { withoutNoise } from '../json/decimals.ts';
import type { StageSpan } from '../records/records.ts';
import { CalendarDate, dateToMs, dayMs, hourMs, minuteMs, type Range } from '../time/time.ts';
import type { Point } from './draft.ts';
import { type Item, instantWithOffset, isItem } from './read-fields.ts';

/** Shapes of values that several providers send. */

/** Values at a fixed interval in seconds from a time on: `{ interval, items, timestamp }`. Items may be null. */
export function pointsOfArray(value: unknown): Point[] {
  if (!isItem(value)) return [];
  const { interval, items, timestamp } = value;
  const start = instantWithOffset(timestamp);
  if (start === null || typeof interval !== 'number' || interval <= 0 || !Array.isArray(items)) return [];
  return items.flatMap((item: unknown, index): Point[] =>
    typeof item === 'number' ? [[start.ms + index * interval * 1000, item]] : [],
  );
}

/** Noon in UTC of a date, in milliseconds: it belongs to that day for nearly every offset. */
export function noonOf(date: unknown): number | null {
  const day = CalendarDate.safeParse(date).data;
  return day === undefined ? null : dateToMs(day) + 12 * hourMs;
}

/**
 * The stages of a text that has a character for each interval of a session. Characters without a stage are gaps. Nothing is
 * left beyond the end of the session.
 */
export function stagesOfText(
  text: unknown,
  { names, intervalSeconds, mostSeconds }: StageText,
): StageSpan[] | null {
  if (typeof text !== 'string') return null;
  const spans: StageSpan[] = [];
  for (const [index, character] of [...text].entries()) {
    const [stage, from] = [names[character], index * intervalSeconds];
    const to = Math.min(from + intervalSeconds, mostSeconds);
    const last = spans.at(-1);
    if (stage === undefined || to <= from) continue;
    if (last?.[0] === stage && last[2] === from) spans[spans.length - 1] = [stage, last[1], to];
    else spans.push([stage, from, to]);
  }
  return spans.length === 0 ? null : spans;
}

/** How a text of stages is read. */
export interface StageText {
  readonly names: Readonly<Record<string, StageSpan[0]>>;
  readonly intervalSeconds: number;
  /** The length of the session. */
  readonly mostSeconds: number;
}

/** A heart rate in beats per minute: a value below 5 is in Hz, as some firmware sends it. Null: it is no number. */
export function bpmOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value < 5 ? withoutNoise(value * 60) : value;
}

/** A share in percent: a value of at most 1 is from 0 to 1. Null: it is no number. */
export function percentOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value <= 1 ? withoutNoise(value * 100) : value;
}

const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The seconds of an ISO 8601 duration of days, hours, minutes and seconds, such as `PT2H44M45S`. Null: it is none. */
export function isoDurationSeconds(value: unknown): number | null {
  const match = duration.exec(typeof value === 'string' ? value.trim() : '');
  if (match === null || !match.slice(1).some((part) => part !== undefined)) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** The milliseconds after midnight of a time of day, `HH:MM` or `HH:MM:SS`. Null: it is none. */
export function clockMs(value: unknown): number | null {
  const [, hours, minutes, seconds = '0'] =
    /^(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

/** The milliseconds of a time on a clock whose offset is not named, or of a time of day on a date. Null: it is none. */
export function localMs(value: unknown, date?: unknown): number | null {
  const ofDay = clockMs(value);
  if (ofDay !== null) return CalendarDate.safeParse(date).success ? dateToMs(String(date)) + ofDay : null;
  const [, local] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)/.exec(String(value)) ?? [];
  const ms = local === undefined ? Number.NaN : Date.parse(`${local}Z`);
  return Number.isNaN(ms) ? null : ms;
}

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

/** A night whose values end before midnight begins after this time of day. */
const eveningMs = 18 * hourMs;

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

/** The stages of a night that are named by numbers. Each lasts until the next one begins, the last one until the end. */
export function stagesOfPoints(
  points: readonly Point[],
  names: readonly (StageSpan[0] | undefined)[],
  { startMs, endMs }: Range,
): StageSpan[] {
  const second = (ms: number) => Math.round((Math.min(Math.max(ms, startMs), endMs) - startMs) / 1000);
  return points.flatMap(([ms, number], index): StageSpan[] => {
    const stage = names[number];
    const [from, to] = [second(ms), second(points[index + 1]?.[0] ?? endMs)];
    return stage === undefined || to <= from ? [] : [[stage, from, to]];
  });
}

function valuesOf(map: unknown): [number, number][] {
  if (!isItem(map)) return [];
  return Object.entries(map).flatMap(([name, value]): [number, number][] => {
    const ms = clockMs(name);
    return ms === null || typeof value !== 'number' ? [] : [[ms, value]];
  });
}
