import { minuteMs } from '../time/time.ts';
import { type Finding, found, missing } from './finding.ts';
import { mean } from './statistics.ts';

/** A span of sleep in Unix milliseconds, [start, end). */
export interface SleepSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The minutes of a day. */
export const dayMinutes = 1440;
/** The days that the index compares, each with the next, and how many pairs of days it needs. */
export const regularityDays = 28;
const leastPairs = 5;

/**
 * The Sleep Regularity Index (Phillips 2017): from -100 to 100, how likely a user is in the same state, asleep or awake, at two
 * instants 24 hours apart. Minutes of `days` consecutive days from `startMs` are compared with those of the next day. `known` says
 * of each day whether sleep was recorded; a pair of days counts if both are known.
 */
export function regularityIndex(
  spans: readonly SleepSpan[],
  { startMs, known }: { readonly startMs: number; readonly known: readonly boolean[] },
): Finding<number> {
  const asleep = asleepMinutes(spans, startMs, known.length);
  let [equal, pairs] = [0, 0];
  for (let day = 0; day + 1 < known.length; day++) {
    if (!known[day] || !known[day + 1]) continue;
    pairs++;
    for (let minute = day * dayMinutes; minute < (day + 1) * dayMinutes; minute++)
      if (asleep[minute] === asleep[minute + dayMinutes]) equal++;
  }
  const share = pairs / (regularityDays - 1);
  if (pairs < leastPairs) return missing('too_few_days', share);
  return found(-100 + (200 * equal) / (pairs * dayMinutes), share);
}

// A minute is of sleep if sleep covers its middle.
function asleepMinutes(spans: readonly SleepSpan[], startMs: number, days: number): Uint8Array {
  const asleep = new Uint8Array(days * dayMinutes);
  for (const { startMs: from, endMs: to } of spans) {
    const first = Math.max(0, Math.ceil((from - startMs) / minuteMs - 0.5));
    asleep.fill(1, first, Math.max(first, Math.ceil((to - startMs) / minuteMs - 0.5)));
  }
  return asleep;
}

/** A night by the local clock: the day of waking, and the middle of the sleep in minutes after the noon before. */
export interface MidSleep {
  readonly date: string;
  readonly middleMinutes: number;
}

/** The middle of the sleep on work days and on free days, in minutes after the noon before. */
export interface SocialJetLag {
  readonly workMiddleMinutes: number;
  readonly freeMiddleMinutes: number;
  /** Free minus work: positive where the user sleeps later on free days. */
  readonly lagMinutes: number;
}

const leastWorkNights = 5;
const leastFreeNights = 2;

/** Social jet lag (Wittmann 2006): the distance between the middles of sleep on free days and on work days. */
export function socialJetLag(
  nights: readonly MidSleep[],
  isFree: (date: string) => boolean = isWeekend,
): Finding<SocialJetLag> {
  const { free = [], work = [] } = Object.groupBy(nights, ({ date }) => (isFree(date) ? 'free' : 'work'));
  const share = nights.length / regularityDays;
  if (work.length < leastWorkNights || free.length < leastFreeNights) return missing('too_few_nights', share);
  const workMiddleMinutes = mean(work.map(({ middleMinutes }) => middleMinutes));
  const freeMiddleMinutes = mean(free.map(({ middleMinutes }) => middleMinutes));
  const lagMinutes = freeMiddleMinutes - workMiddleMinutes;
  return found({ workMiddleMinutes, freeMiddleMinutes, lagMinutes }, share);
}

const isWeekend = (date: string) => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());
