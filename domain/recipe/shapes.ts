import { withoutNoise } from '../json/decimals.ts';
import type { StageSpan } from '../records/records.ts';
import { CalendarDate, dateToMs, hourMs } from '../time/time.ts';
import type { Point } from './draft.ts';
import { instantWithOffset, isItem } from './read-fields.ts';

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
