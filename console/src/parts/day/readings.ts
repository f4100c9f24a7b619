import type { Source } from '../../../../clients/typescript/src/index.ts';
import { durationOf } from '../../duration.ts';
import { slotMs } from './day-axis.ts';
import { clockOfDay, lineNames, rangeOf, whole, workoutName } from './lane-texts.ts';
import type { LineLane, Picture } from './picture.ts';
import { valueAt } from './points.ts';
import { nightOf } from './sleep-of-day.ts';

/** A value of a day at an instant. `spoken` says what it is; both are empty where nothing is known. */
export interface Reading {
  readonly id: string;
  readonly label: string;
  /** Of a lane with several sources, the source of the value. */
  readonly source: Source | null;
  readonly text: string;
  readonly unit: string;
  readonly spoken: string;
}

/** The values of all lanes at an instant, the same lanes for all instants of a day. */
export function readingsAt(picture: Picture, at: number): Reading[] {
  const [heart, ...others] = [picture.heart, ...picture.lines].map((lane) => lineReadings(lane, at));
  return [
    ...(heart ?? []),
    ...sleepReading(picture, at),
    ...workoutReading(picture, at),
    ...stepsReading(picture, at),
    ...others.flat(),
  ];
}

/** The values of a lane beside each other: those of its sources have one place. */
export function byLane(readings: readonly Reading[]): Reading[][] {
  return [...new Set(readings.map(({ label }) => label))].map((label) =>
    readings.filter((one) => one.label === label),
  );
}

/** The values of a day as a whole, one of each lane, in the order of `readingsAt`. */
export function readingsOfDay(picture: Picture): Reading[] {
  const { sleeps, workouts, steps, axis } = picture;
  const [heart, ...others] = [picture.heart, ...picture.lines].map(lineSummary);
  const night = nightOf(sleeps, axis.date, axis.zone);
  return [
    ...(heart ?? []),
    ...(sleeps.length === 0 ? [] : [reading('sleep', 'Sleep', durationOf(night?.duration_seconds))]),
    ...(workouts.length === 0
      ? []
      : [reading('workout', 'Workout', workouts.length === 1 ? '1 workout' : `${workouts.length} workouts`)]),
    ...(steps === null ? [] : [reading('steps', 'Steps', whole(steps.total))]),
    ...others.flat(),
  ];
}

const reading = (id: string, label: string, text: string, spoken = text): Reading => ({
  id,
  label,
  text,
  spoken,
  source: null,
  unit: '',
});

function lineReadings({ id, tracks }: LineLane, at: number): Reading[] {
  const { title, unit } = lineNames[id];
  return tracks.map(({ source, points, tolerance }, index) => {
    const value = valueAt(points, at, tolerance);
    const text = value === null ? '' : whole(value);
    const spoken = value === null ? '' : `${title.toLowerCase()} ${text}${unit}`;
    const one = reading(`${id} ${index}`, title, text, spoken);
    return { ...one, unit, source: tracks.length > 1 ? source : null };
  });
}

function lineSummary(lane: LineLane): Reading[] {
  const { title, unit } = lineNames[lane.id];
  const range = rangeOf(lane);
  if (range === null) return [];
  return [{ ...reading(`${lane.id} 0`, title, `${whole(range.min)}–${whole(range.max)}`), unit }];
}

function sleepReading({ sleeps, stages }: Picture, at: number): Reading[] {
  if (sleeps.length === 0) return [];
  const { stage } = stages.find(({ from, to }) => at >= from && at < to) ?? {};
  const text = stage === undefined ? '' : stageNames[stage];
  return [reading('sleep', 'Sleep', text, stage === undefined ? '' : stageSpoken[stage])];
}

/** The names of the stages of sleep. */
const stageNames = {
  awake: 'awake',
  rem: 'REM',
  light: 'light',
  deep: 'deep',
  unmeasurable: 'not measurable',
  asleep: 'asleep',
} as const;
const stageSpoken = {
  awake: 'awake in bed',
  rem: 'REM sleep',
  light: 'light sleep',
  deep: 'deep sleep',
  unmeasurable: 'sleep not measurable',
  asleep: 'asleep',
} as const;

function workoutReading({ workouts }: Picture, at: number): Reading[] {
  if (workouts.length === 0) return [];
  const now = workouts.find(
    ({ start_time, end_time }) => at >= Date.parse(start_time) && at < Date.parse(end_time),
  );
  return [
    reading(
      'workout',
      'Workout',
      now === undefined ? '' : workoutName(now),
      now?.type.replaceAll('_', ' ') ?? '',
    ),
  ];
}

function stepsReading({ steps, axis }: Picture, at: number): Reading[] {
  if (steps === null) return [];
  const sum = steps.sums[Math.floor((at - axis.from) / slotMs)] ?? null;
  const text = sum === null ? '' : whole(sum);
  return [reading('steps', 'Steps in 15 min', text, text === '' ? '' : `${text} steps in 15 minutes`)];
}

/** All that is known at an instant, in one sentence: `6:12 PM: heart rate 141 bpm, running`. */
export function momentText(picture: Picture, at: number): string {
  const known = [
    ...new Map(
      readingsAt(picture, at)
        .filter(({ spoken }) => spoken !== '')
        .toReversed() // of several sources, the first one counts
        .map((one) => [one.label, one.spoken]),
    ).values(),
  ].toReversed();
  return `${clockOfDay(picture.axis.zone)(at)}: ${known.length === 0 ? 'nothing is known' : known.join(', ')}`;
}
