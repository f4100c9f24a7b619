import { dayMs, hourMs } from '../time/time.ts';

/** What decides when late data is fetched. Times are in milliseconds. */
export interface Lateness {
  /** Repairs since the last arrival, and when the last of them began. */
  readonly repairs: number;
  readonly repairedMs: number | null;
  /** The last arrival, or the connection. */
  readonly lastMs: number;
  readonly expectedMs: number;
}

/** A little lateness is usual, and a repair costs a request. */
const firstAfter = 1.25;
const pausesMs = [0, hourMs, 4 * hourMs] as const;

/** When late data is fetched next: three times within hours, then once a day. */
export function nextRepairMs({ repairs, repairedMs, lastMs, expectedMs }: Lateness): number {
  const firstMs = lastMs + firstAfter * expectedMs;
  return repairedMs === null ? firstMs : Math.max(firstMs, repairedMs + (pausesMs[repairs] ?? dayMs));
}
