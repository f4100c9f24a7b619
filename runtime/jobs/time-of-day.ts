import { createHash } from 'node:crypto';
import { dayMs } from '../../domain/time/time.ts';

/** The time of the UTC day at which the nightly work of a connection is due: a hash of its id, so that the load is spread. */
export function timeOfDayMs(connectionId: string): number {
  const hash = createHash('sha256').update(connectionId).digest().readUInt32BE(0);
  return Math.floor((hash / 2 ** 32) * dayMs);
}

/** The next instant after `nowMs` with a time of the UTC day. */
export function nextAt(nowMs: number, timeMs: number): number {
  const today = nowMs - (nowMs % dayMs) + timeMs;
  return today > nowMs ? today : today + dayMs;
}
