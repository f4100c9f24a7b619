import type { FitMessage } from './fit-reader.ts';
import type { Point } from './recording.ts';

/*
 * Straps store heart rates while the watch cannot receive them, and send them afterwards as messages `hr`. Their times are those of
 * the strap's own clock. A message with a timestamp states one of them by the clock of the watch.
 */

/** The mean heart rate of a second. */
export interface FitBeat {
  readonly ms: number;
  readonly value: number;
}

const eventsPerSecond = 1024;
/** The strap's clock has 32 bits. */
const wholeClock = 2 ** 32 / eventsPerSecond;

/** The heart rates of a file by seconds, in the order of the file. */
export function fitBeats(messages: readonly FitMessage[]): FitBeat[] {
  const seconds = new Map<number, { sum: number; count: number }>();
  let anchor: { readonly ms: number; readonly event: number } | null = null;
  let last = 0;
  for (const message of messages) {
    const { timestamp, fractional_timestamp, time256, filtered_bpm, event_timestamp_12 } = message;
    const events = eventsOf(message, last);
    last = events.at(-1) ?? last;
    if (typeof timestamp === 'number' && events[0] !== undefined) {
      const fraction = fractional_timestamp ?? time256;
      anchor = { ms: timestamp + (typeof fraction === 'number' ? fraction * 1000 : 0), event: events[0] };
    }
    if (anchor === null || !Array.isArray(filtered_bpm)) continue;
    for (const [index, value] of filtered_bpm.entries()) {
      const event = events[index];
      if (event === undefined || !(value > 0)) continue;
      const passed = event - anchor.event;
      const turned = Math.round(passed / wholeClock) * wholeClock;
      const second = Math.floor((anchor.ms + (passed - turned) * 1000) / 1000) * 1000;
      const same = seconds.get(second) ?? { sum: 0, count: 0 };
      seconds.set(second, { sum: same.sum + value, count: same.count + 1 });
    }
    if (Array.isArray(event_timestamp_12) && events.length === 0) last = 0;
  }
  return [...seconds].map(([ms, { sum, count }]) => ({ ms, value: Math.round(sum / count) }));
}

/** The times of the beats of a message in seconds. Those of 12 bits continue the last one. */
function eventsOf({ event_timestamp, event_timestamp_12 }: FitMessage, last: number): number[] {
  const whole = Array.isArray(event_timestamp) ? event_timestamp.filter((event) => !Number.isNaN(event)) : [];
  const packed: readonly number[] = Array.isArray(event_timestamp_12) ? event_timestamp_12 : [];
  let event = Math.round((whole.at(-1) ?? last) * eventsPerSecond);
  const short: number[] = [];
  // Three bytes have two times, the lower bits first.
  for (let at = 0; at + 2 < packed.length; at += 3) {
    const [a = 0, b = 0, c = 0] = packed.slice(at, at + 3);
    for (const bits of [a | ((b & 15) << 8), (b >> 4) | (c << 4)]) {
      event += (bits - (event & 0xfff)) & 0xfff;
      short.push(event / eventsPerSecond);
    }
  }
  return [...whole, ...short];
}

/** A beat counts for the points up to so much later, which have none of their own. */
const longestBeatMs = 5000;

/** The points with the heart rates of beats. A point with a heart rate of its own keeps it. */
export function withBeats(byTime: ReadonlyMap<number, Point>, beats: readonly FitBeat[]): Point[] {
  if (beats.length === 0) return [...byTime.values()];
  const ascending = beats.toSorted((a, b) => a.ms - b.ms);
  const points = new Map(byTime);
  for (const { ms, value } of ascending) {
    const point = points.get(ms);
    if (point?.heart_rate === undefined) points.set(ms, { ...point, ms, heart_rate: value });
  }
  let next = 0;
  return [...points.values()]
    .toSorted((a, b) => a.ms - b.ms)
    .map((point) => {
      while ((ascending[next]?.ms ?? Number.POSITIVE_INFINITY) <= point.ms) next += 1;
      const beat = ascending[next - 1];
      const isNear = beat !== undefined && point.ms - beat.ms <= longestBeatMs;
      return point.heart_rate === undefined && isNear ? { ...point, heart_rate: beat.value } : point;
    });
}
