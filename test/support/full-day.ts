import { formatInstant } from '../../domain/time/time.ts';

/** A daily record of a device that was worn from its start on, without a gap. */
export interface FullDay {
  readonly account: string;
  readonly startMs: number;
  readonly seconds: number;
  readonly seed: number;
  readonly resting?: number;
}

const everySeconds = 15;

/** The device maker's daily with a heart rate every 15 s, whose offsets are unordered. */
export function fullDay({ account, startMs, seconds, seed, resting }: FullDay): Record<string, unknown> {
  const offsets = Array.from({ length: seconds / everySeconds }, (_, i) => i * everySeconds);
  const shuffled = offsets.toSorted((a, b) => valueAt(a, 99) - valueAt(b, 99));
  return {
    userId: account,
    summaryId: `x-${startMs}-${seconds}`,
    calendarDate: formatInstant(startMs).slice(0, 10),
    startTimeInSeconds: startMs / 1000,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: seconds,
    steps: Math.floor(seconds / 10),
    ...(resting === undefined ? {} : { restingHeartRateInBeatsPerMinute: resting }),
    timeOffsetHeartRateSamples: Object.fromEntries(
      shuffled.map((offset) => [String(offset), valueAt(offset, seed)]),
    ),
  };
}

/** What the API is to give back of such a day: timestamp and value, oldest first. */
export function heartRateOf(startMs: number, seconds: number, seed: number): [string, number][] {
  return Array.from({ length: seconds / everySeconds }, (_, i) => {
    const offset = i * everySeconds;
    return [formatInstant(startMs + offset * 1000), valueAt(offset, seed)];
  });
}

function valueAt(offset: number, seed: number): number {
  return 50 + (((Math.imul(offset + 1, 2_654_435_761) ^ Math.imul(seed, 40_503)) >>> 8) % 120);
}
