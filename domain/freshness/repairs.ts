import { dayMs, hourMs } from '../time/time.ts';

/** Fruitless repairs after which a kind of data is read once a day only. */
export const mostRepairs = 3;
/** The first repair begins after the expected time and a quarter of it. */
export const firstRepair = 1.25;
const pausesMs = [0, hourMs, 4 * hourMs] as const;

/** When the next repair of late data may begin, after `repairs` of them brought nothing. */
export function nextRepairMs(repairs: number, lastRepairMs: number | null): number {
  return lastRepairMs === null ? 0 : lastRepairMs + (pausesMs[repairs] ?? dayMs);
}
