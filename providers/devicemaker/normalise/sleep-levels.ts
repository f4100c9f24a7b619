import { mostStageSpans, type StageSpan } from '../../../domain/records/records.ts';
import { SleepStageName } from '../../../domain/wire.ts';
import { isObject, type Problem } from './item.ts';

/** The stages of a night as intervals, in milliseconds. */
export interface Levels {
  /** Seconds in a stage, or null if the map does not contain it. */
  seconds(stage: string): number | null;
  readonly lastEndMs: number | null;
  /** Awake intervals strictly inside a session. Null without a readable list of them, or without any interval. */
  interruptions(startMs: number, endMs: number): number | null;
  /** The intervals of known stages, sorted by start, in seconds after `startMs`. Null if there are none, or too many. */
  spans(startMs: number): StageSpan[] | null;
  readonly problems: readonly Problem[];
}

interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

// A sleep lasts less than three days. A longer span comes from a clock that was set meanwhile.
const farthestMs = 3 * 86_400_000;

/** Reads `sleepLevelsMap`. An invalid interval is left out and counted. */
export function readLevels(given: Readonly<Record<string, unknown>> | null, startMs: number): Levels {
  const stages = new Map<string, Interval[]>();
  let left = 0;
  for (const [stage, intervals] of Object.entries(given ?? {})) {
    const raw: readonly unknown[] = Array.isArray(intervals) ? intervals : [null];
    const read = raw.map((interval) => intervalOf(interval, startMs)).filter((one) => one !== null);
    left += raw.length - read.length;
    if (Array.isArray(intervals) && (read.length > 0 || raw.length === 0)) stages.set(stage, read);
  }
  const ends = [...stages.values()].flat().map(({ endMs }) => endMs);
  return {
    seconds: (stage) => secondsOf(stages.get(stage)),
    lastEndMs: ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b)),
    interruptions(fromMs, toMs) {
      if (ends.length === 0) return null;
      const inside = stages.get('awake')?.filter((one) => one.startMs > fromMs && one.endMs < toMs);
      return inside?.length ?? null;
    },
    spans: (fromMs) => spansOf(stages, fromMs),
    problems:
      left === 0 ? [] : [{ field: 'sleepLevelsMap', reason: `${left} intervals left out: no start and end` }],
  };
}

function spansOf(stages: ReadonlyMap<string, readonly Interval[]>, fromMs: number): StageSpan[] | null {
  const spans = SleepStageName.options.flatMap((stage) =>
    (stages.get(stage) ?? []).map(({ startMs, endMs }): StageSpan => {
      const seconds = [startMs, endMs].map((ms) => Math.round((ms - fromMs) / 1000));
      return [stage, seconds[0] ?? 0, seconds[1] ?? 0];
    }),
  );
  if (spans.length === 0 || spans.length > mostStageSpans) return null;
  return spans.filter(([, first, last]) => first < last).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
}

function intervalOf(interval: unknown, startMs: number): Interval | null {
  if (!isObject(interval)) return null;
  const { startTimeInSeconds: start, endTimeInSeconds: end } = interval;
  if (typeof start !== 'number' || typeof end !== 'number' || end < start) return null;
  const read = { startMs: start * 1000, endMs: end * 1000 };
  const near = Math.abs(read.startMs - startMs) <= farthestMs && Math.abs(read.endMs - startMs) <= farthestMs;
  return near ? read : null;
}

function secondsOf(intervals: readonly Interval[] | undefined): number | null {
  if (intervals === undefined) return null;
  return Math.round(intervals.reduce((sum, one) => sum + (one.endMs - one.startMs) / 1000, 0));
}
