import { minuteMs, parseInstant } from '../../domain/time/time.ts';
import { offsetMinutesIn } from '../../domain/time/zone.ts';

const hourMs = 60 * minuteMs;

/** An instant with the offset of the user's clock; null: no part of the archive states it, and `ms` is the time of that clock. */
export interface Placed {
  readonly ms: number;
  readonly offset: number | null;
}

/** What a family of members without a zone counts in. */
export type FamilyClock = 'utc' | 'local';

/**
 * The clock of the user at each instant, from what the archive states: offsets of nights and exercises, and the zone of the profile, which
 * is that of today and therefore counts only where nothing else is near.
 */
export class Clocks {
  #stated: { readonly ms: number; readonly offset: number }[] = [];
  #isSorted = true;
  #gather: (() => void) | null = null;
  zone: string | null = null;

  /** What states further offsets when the first time is placed: nights, once all of them are known. */
  gatherBy(gather: () => void): void {
    this.#gather = gather;
  }

  state(ms: number, offset: number): void {
    this.#stated.push({ ms, offset });
    this.#isSorted = false;
  }

  /** Minutes. Null: nothing states an offset. */
  offsetAt(ms: number): number | null {
    const gather = this.#gather;
    this.#gather = null;
    gather?.();
    const nearest = this.#nearest(ms);
    if (nearest !== undefined && Math.abs(nearest.ms - ms) <= nearMs) return nearest.offset;
    return this.zoneOffset(ms) ?? nearest?.offset ?? null;
  }

  /** Minutes, by the zone of the profile. */
  zoneOffset(ms: number): number | null {
    return this.zone === null ? null : offsetMinutesIn(this.zone, ms);
  }

  /** The instant of a time of the user's clock, which is given as if it were UTC. */
  place(localMs: number): Placed {
    const first = this.offsetAt(localMs);
    if (first === null) return { ms: localMs, offset: null };
    // The offset was read up to 14 hours off.
    const offset = this.offsetAt(localMs - first * minuteMs) ?? first;
    return { ms: localMs - offset * minuteMs, offset };
  }

  #nearest(ms: number) {
    if (!this.#isSorted) this.#stated.sort((a, b) => a.ms - b.ms);
    this.#isSorted = true;
    let [low, high] = [0, this.#stated.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stated[middle]?.ms ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [this.#stated[low - 1], this.#stated[low]];
    if (before === undefined || after === undefined) return before ?? after;
    return ms - before.ms <= after.ms - ms ? before : after;
  }
}

/** A night states the clock of the day before it and of the day after it. */
const nearMs = 36 * hourMs;

const american = /^(\d\d)\/(\d\d)\/(\d\d)(?: (\d\d):(\d\d):(\d\d))?$/;
const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$/;

/** A time without a zone (`07/11/26 14:55:42`, `2026-07-11T14:55:42.000`), as if it were UTC; NaN if it is none. */
export function unzonedMs(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN;
  const parts = american.exec(text);
  if (parts !== null) {
    const [, month, day, year, hour = 0, minute = 0, second = 0] = parts;
    return Date.UTC(
      2000 + Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
  }
  return iso.test(text) ? Date.parse(text.length === 10 ? text : `${text}Z`) : Number.NaN;
}

/** An instant with a zone; NaN if it is none. */
export function zonedMs(text: string | undefined): number {
  return parseInstant(text ?? '')?.ms ?? Number.NaN;
}

/** Minutes of an offset such as `+05:30`; null if there is none. */
export function offsetMinutes(text: string | undefined): number | null {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)/.exec(text ?? '') ?? [];
  if (hours === undefined) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The number of a cell or a JSON value; null if it is empty, a word or `NaN`. */
export function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The number, if something was measured: most columns have 0 where nothing was. */
export function measuredIn(value: unknown): number | null {
  const number = numberIn(value);
  return number !== null && number > 0 ? number : null;
}

const quarterMs = 15 * minuteMs;
const [leastOffsetMs, mostOffsetMs] = [-12 * hourMs, 14 * hourMs];
const toleranceMs = minuteMs;

/** The offset, in minutes, that a time without a zone has to an instant; null if no clock on earth has it. */
export function offsetBetween(unzoned: number, ms: number): number | null {
  const rounded = Math.round((unzoned - ms) / quarterMs) * quarterMs;
  const isClock = rounded >= leastOffsetMs && rounded <= mostOffsetMs;
  return isClock && Math.abs(unzoned - ms - rounded) <= toleranceMs ? rounded / minuteMs : null;
}
