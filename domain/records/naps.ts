import { hourMs, minuteMs } from '../time/time.ts';

const longestNapMs = 3 * hourMs;
const napsFromHour = 9;
const napsUntilHour = 21;

/**
 * Whether a sleep is a nap, by its times: it is shorter than three hours and begins by day. For sleeps whose provider does not
 * say it. False without an offset, as the hour is not known then.
 */
export function isNapByTimes(startMs: number, endMs: number, offset: number | null): boolean {
  if (offset === null || endMs - startMs >= longestNapMs) return false;
  const hour = new Date(startMs + offset * minuteMs).getUTCHours();
  return hour >= napsFromHour && hour < napsUntilHour;
}
