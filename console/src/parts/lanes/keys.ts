import type { Range } from './time-ticks.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whether the instants of a range are read as dates. */
export const isLong = ({ from, to }: Range) => to - from > 3 * dayMs;

/** Whether they are read with their seconds. */
export const isShort = ({ from, to }: Range) => to - from <= 2 * hourMs;

const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageDown: -60,
  PageUp: 60,
};
const shifted = 15;

function stepOf(range: Range): number {
  if (isLong(range)) return dayMs;
  return isShort(range) ? 10_000 : 60_000;
}

/** The instant to which a key leads. Null: the key is not one of the axis. */
export function keyed(key: string, isShifted: boolean, range: Range, at: number | null): number | null {
  if (key === 'Home') return range.from;
  if (key === 'End') return range.to;
  const steps = keySteps[key];
  if (steps === undefined) return null;
  const next = (at ?? range.from) + steps * stepOf(range) * (isShifted ? shifted : 1);
  return Math.min(range.to, Math.max(range.from, next));
}
