import { CalendarDate } from '../../../domain/time/time.ts';
import { cleanText, isObject, type Problem } from './item.ts';

/** A value that a field cannot have. */
export class Unusable {
  readonly reason: string;
  readonly isPlaceholder: boolean;

  constructor(reason: string, isPlaceholder = false) {
    this.reason = reason;
    this.isPlaceholder = isPlaceholder;
  }

  problemOf(field: string): Problem {
    return { field, reason: this.reason, ...(this.isPlaceholder ? { placeholders: 1 } : {}) };
  }
}

/** Makes the value of a field from what was sent, which is not null. Null: it has none, which is no error. */
export type Check = (sent: unknown) => unknown;

const placeholder = new Unusable('is a placeholder', true);
/** The reasons for values that are no number and no date. */
export const noNumber = new Unusable('must be a number');
export const noDate = new Unusable('must be a date, YYYY-MM-DD');
const noText = new Unusable('must be a text');
const noFlag = new Unusable('must be true or false');
const noMap = new Unusable('must be an object');
const noId = new Unusable('must be a whole number, or a text of at most 100 characters');

/** A closed range of numbers in the provider's unit, and what a value of 0 or less means below it. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly low: 'an error' | 'a placeholder' | 'nothing';
}

/** A number in a range, multiplied by `factor`. */
export function numberIn({ least, most, low }: NumberRange, factor = 1, isWhole = false): Check {
  const range = new Unusable(`must be ${Math.abs(least) < 1 ? Math.floor(least) : least} to ${most}`);
  const below = low === 'nothing' ? null : low === 'an error' ? range : placeholder;
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
  (most: number): Check =>
  (sent) =>
    typeof sent === 'string' ? cleanText(sent, most) || null : noText;

/** An id that arrives as a number or as a text. */
export const idOf: Check = (sent) =>
  (typeof sent === 'string' && sent.length <= 100) || Number.isSafeInteger(sent)
    ? cleanText(String(sent), 100) || null
    : noId;

/** A flag. */
export const flagOf: Check = (sent) => (typeof sent === 'boolean' ? sent : noFlag);

/** Values by seconds after the start. They are checked one by one. */
export const mapOf: Check = (sent) => (isObject(sent) ? sent : noMap);

/** A day of the calendar. */
export const dateOf: Check = (sent) => (CalendarDate.safeParse(sent).success ? sent : noDate);

/** Seconds since 1970. The range is checked when the item is placed. */
export const secondsOf: Check = (sent) =>
  typeof sent === 'number' && Number.isFinite(sent) ? sent : noNumber;
