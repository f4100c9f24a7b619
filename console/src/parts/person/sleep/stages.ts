import type { SingleSleepSession, SleepStage } from '../../../../../clients/typescript/src/index.ts';
import type { StageSpan } from '../../lanes/stage-lane.tsx';

const asleep: readonly SleepStage[] = ['light', 'deep', 'rem'];

/** The stages of a session as spans. */
export const spansOf = (timeline: SingleSleepSession['stages_timeline']): StageSpan[] =>
  (timeline ?? []).map(({ stage, start_time, end_time }) => ({
    stage,
    from: Date.parse(start_time),
    to: Date.parse(end_time),
  }));

/** The time in a stage, and its part of all stages. */
export interface StageTotal {
  readonly stage: SleepStage;
  readonly minutes: number;
  readonly part: number;
}

const order: readonly SleepStage[] = ['deep', 'light', 'rem', 'awake', 'unmeasurable'];

/** The time in each stage that occurs, from the intervals, otherwise from the totals that the provider sent. */
export function stageTotals(
  spans: readonly StageSpan[],
  { awake_minutes, light_minutes, deep_minutes, rem_minutes }: SingleSleepSession['stages'],
): StageTotal[] {
  const sent = {
    awake: awake_minutes,
    light: light_minutes,
    deep: deep_minutes,
    rem: rem_minutes,
    unmeasurable: 0,
  };
  const minutesIn = (stage: SleepStage) =>
    spans.length === 0
      ? (sent[stage] ?? 0)
      : spans.reduce((sum, one) => sum + (one.stage === stage ? one.to - one.from : 0), 0) / 60_000;
  const all = order
    .map((stage) => ({ stage, minutes: minutesIn(stage) }))
    .filter(({ minutes }) => minutes > 0);
  const whole = all.reduce((sum, { minutes }) => sum + minutes, 0);
  return all.map((one) => ({ ...one, part: one.minutes / whole }));
}

/** What the stages say of the times of a night, in seconds. A field is null if the stages do not say it. */
export interface Timings {
  readonly inBed: number;
  readonly asleep: number | null;
  readonly latency: number | null;
  readonly wakeAfterOnset: number | null;
  readonly wakings: number | null;
  readonly longestAsleep: number | null;
}

/** The timings of a session. The latency is null if the first stage is sleep: then the session begins with it. */
export function timingsOf(range: { from: number; to: number }, spans: readonly StageSpan[]): Timings {
  const inBed = (range.to - range.from) / 1000;
  const sleeping = spans.filter(({ stage }) => asleep.includes(stage));
  const [first, last] = [sleeping[0], sleeping.at(-1)];
  if (first === undefined || last === undefined)
    return { inBed, asleep: null, latency: null, wakeAfterOnset: null, wakings: null, longestAsleep: null };
  const awake = spans.filter(({ stage, from }) => stage === 'awake' && from >= first.from && from < last.to);
  const seconds = (all: readonly StageSpan[]) => all.reduce((sum, { from, to }) => sum + to - from, 0) / 1000;
  return {
    inBed,
    asleep: seconds(sleeping),
    latency: first.from > range.from ? (first.from - range.from) / 1000 : null,
    wakeAfterOnset: seconds(awake),
    wakings: awake.length,
    longestAsleep: Math.max(...runsOf(sleeping)),
  };
}

/** The lengths of the times without a break between stages of sleep, in seconds. */
function runsOf(sleeping: readonly StageSpan[]): number[] {
  const runs: number[] = [];
  sleeping.forEach(({ from, to }, index) => {
    const isNext = index > 0 && sleeping[index - 1]?.to === from;
    const length = (to - from) / 1000;
    if (isNext) runs[runs.length - 1] = (runs.at(-1) ?? 0) + length;
    else runs.push(length);
  });
  return runs;
}
