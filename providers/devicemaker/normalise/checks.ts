import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { CalendarDate } from '../../../domain/time/time.ts';
import { cleanText, type Problem } from './item.ts';

/** Why a value cannot be that of its field. */
export class Unusable {
  readonly problem: Omit<Problem, 'field'>;

  constructor(reason: string, placeholders?: number) {
    this.problem = placeholders === undefined ? { reason } : { reason, placeholders };
  }
}

/** Makes the value of a field from what was sent. Null: it has none, which is no error. */
export type Check<T = unknown> = (sent: unknown) => T | Unusable | null;

const placeholder = new Unusable('is a placeholder', 1);
const absent = new Unusable('is required');
const noNumber = new Unusable('must be a number');
const noDate = new Unusable('must be a date, YYYY-MM-DD');
const noText = new Unusable('must be a text');
const noFlag = new Unusable('must be true or false');
const noMap = new Unusable('must be an object');
const noList = new Unusable('must be a list');
const noId = new Unusable('must be a whole number, or a text of at most 100 characters');

/** A closed range of numbers in the provider's unit, and what a value of 0 or less means below it. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly low?: 'a placeholder' | 'nothing';
}

/** A number in a range, multiplied by `factor`. */
export function numberIn({ least, most, low }: NumberRange, factor = 1, isWhole = false): Check<number> {
  const range = new Unusable(`must be ${Math.abs(least) < 1 ? Math.floor(least) : least} to ${most}`);
  const below = low === 'nothing' ? null : low === undefined ? range : placeholder;
  const divisor = factor < 1 ? 1 / factor : 1;
  return (sent) => {
    if (typeof sent !== 'number' || !Number.isFinite(sent)) return noNumber;
    if (sent < least) return sent <= 0 ? below : range;
    if (sent > most) return range;
    const value = factor < 1 ? sent / divisor : sent * factor;
    return isWhole ? Math.round(value) : value;
  };
}

/** A text of at most so many characters; longer ones are cut. */
export const textOf =
  (most: number): Check<string> =>
  (sent) =>
    typeof sent === 'string' ? cleanText(sent, most) || null : noText;

/** An id that arrives as a number or as a text. */
export const idOf: Check<string> = (sent) =>
  (typeof sent === 'string' && sent.length <= 100) || Number.isSafeInteger(sent)
    ? cleanText(String(sent), 100) || null
    : noId;

/** A flag. */
export const flagOf: Check<boolean> = (sent) => (typeof sent === 'boolean' ? sent : noFlag);
/** Values by their names, or by seconds after the start. They are checked one by one. */
export const mapOf: Check<Item> = (sent) => (isItem(sent) ? sent : noMap);
/** A list. Its entries are checked one by one. */
export const listOf: Check<readonly unknown[]> = (sent) => (Array.isArray(sent) ? sent : noList);
/** A day of the calendar. */
export const dateOf: Check<string> = (sent) => CalendarDate.safeParse(sent).data ?? noDate;
/** Seconds since 1970. The range is checked when the item is placed in time. */
export const secondsOf: Check<number> = (sent) =>
  typeof sent === 'number' && Number.isFinite(sent) ? sent : noNumber;

/** Offsets of a clock in seconds, as minutes. */
export const offsetOf = numberIn({ least: -64_800, most: 64_800 }, 1 / 60, true);

/**
 * Reads fields of an item, or of the part of it at `path`. What is unusable, and what is needed and not there, is left out and added
 * to `problems`.
 */
export function fieldReader(item: Item, problems: Problem[], path = '') {
  return <T>(name: string, check: Check<T>, isNeeded = false): T | null => {
    const sent = item[name] ?? null;
    if (sent === null && !isNeeded) return null;
    const value = sent === null && !Object.hasOwn(item, name) ? absent : check(sent);
    if (!(value instanceof Unusable)) return value;
    problems.push({ field: path + name, ...value.problem });
    return null;
  };
}
