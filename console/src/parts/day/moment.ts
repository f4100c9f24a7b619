import type { DayAxis } from './day-axis.ts';

const minuteMs = 60_000;

type Span = Pick<DayAxis, 'from' | 'to'>;

/** The number of minutes of a day. */
export const minutesOf = ({ from, to }: Span) => Math.round((to - from) / minuteMs);

/** The minute of a day at a part of its width, 0 to 1. */
export function minuteAt(span: Span, part: number): number {
  const minute = Math.floor(part * minutesOf(span));
  return span.from + Math.min(Math.max(minute, 0), minutesOf(span) - 1) * minuteMs;
}

const [step, longStep, page] = [1, 15, 60];

/** The minute to which a key leads from another; null for other keys. Without a minute, keys begin at noon. */
export function minuteByKey(span: Span, at: number | null, key: string, isLong: boolean): number | null {
  const last = minutesOf(span) - 1;
  const now = at === null ? Math.floor(last / 2) + 1 : Math.round((at - span.from) / minuteMs);
  const by = at === null ? 0 : isLong ? longStep : step;
  const minutes: Readonly<Record<string, number>> = {
    ArrowRight: now + by,
    ArrowUp: now + by,
    ArrowLeft: now - by,
    ArrowDown: now - by,
    PageUp: now + page,
    PageDown: now - page,
    Home: 0,
    End: last,
  };
  const minute = minutes[key];
  return minute === undefined ? null : span.from + Math.min(Math.max(minute, 0), last) * minuteMs;
}
