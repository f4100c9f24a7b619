import { clockOf, formatIn, type Zone } from '../../zone.ts';

/** A range of time in Unix milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A mark on a time axis: an instant in Unix milliseconds, and its text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * dayMs),
];

/** At most `most` marks at round times of a zone's clock. */
export function timeTicks({ from, to }: Range, zone: Zone, most: number): Tick[] {
  const step = steps.find((one) => (to - from) / one <= Math.max(1, most)) ?? 364 * dayMs;
  const text = formatIn(zone, styleOf(step));
  const ahead = aheadMs(zone, from);
  const ticks: Tick[] = [];
  for (let local = Math.ceil((from + ahead) / step) * step; ; local += step) {
    const at = local - aheadMs(zone, local - ahead);
    if (at > to) return ticks;
    ticks.push({ at, text: text(at) });
  }
}

function styleOf(step: number): Intl.DateTimeFormatOptions {
  if (step >= dayMs) return { month: 'short', day: 'numeric' };
  return step >= hourMs ? { hour: 'numeric' } : { hour: 'numeric', minute: '2-digit' };
}

/** How far the clock of a zone is ahead of UTC at an instant. */
function aheadMs(zone: Zone, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  return Date.parse(`${localText(zone, second).replace(' ', 'T')}Z`) - second;
}

/** Minutes after midnight of the clock of a zone. */
export function minutesOfDay(zone: Zone, at: number): number {
  const [, hours = 0, minutes = 0] = localText(zone, at).split(/[ :]/).map(Number);
  return hours * 60 + minutes;
}

/** The local time as `2026-11-25 07:12:00`. */
function localText(zone: Zone, at: number): string {
  const { ahead, timeZone } = clockOf(zone);
  const style = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  return new Intl.DateTimeFormat('sv-SE', style).format(at + ahead);
}
