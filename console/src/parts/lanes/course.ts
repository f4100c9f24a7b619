import type { ChartSeries } from '../../../../clients/typescript/src/index.ts';

type Column = readonly (number | null)[];

/** Values over time: instants in Unix milliseconds, oldest first, and null where the line is interrupted. */
export interface Course {
  readonly times: readonly number[];
  readonly values: Column;
  readonly min: Column;
  readonly max: Column;
}

const gapFactor = 8;

/** The course of a series; `convert` makes each value another, such as a pace of a speed. Without `gaps` it is one line. */
export function courseOf(
  series: ChartSeries,
  convert: (value: number) => number | null = (value) => value,
  gaps = true,
): Course {
  const { value = [], min = value, max = value, offset_seconds } = series;
  const first = Date.parse(series.first_time);
  const converted = (column: readonly number[]) => column.map(convert);
  const course = {
    times: offset_seconds.map((offset) => first + offset * 1000),
    values: converted(value),
    min: converted(min),
    max: converted(max),
  };
  return gaps ? interrupted(course) : course;
}

/** The course of values without a band; a gap that is much longer than the usual distance interrupts it. */
export const courseThrough = (times: readonly number[], values: Column): Course =>
  interrupted({ times, values, min: values, max: values });

function interrupted({ times, values, min, max }: Course): Course {
  const longest = gapFactor * usualMs(times);
  const at = times.flatMap((time, index) => {
    const before = times[index - 1] ?? time;
    return time - before > longest
      ? [
          { time: (before + time) / 2, index: -1 },
          { time, index },
        ]
      : [{ time, index }];
  });
  const column = (of: Column) => at.map(({ index }) => of[index] ?? null);
  return { times: at.map(({ time }) => time), values: column(values), min: column(min), max: column(max) };
}

/** The median of the distances between points: a series of every second has other gaps than one of every day. */
function usualMs(times: readonly number[]): number {
  const distances = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
}

/** The value that is nearest to an instant, if it is not further away than `withinMs`. */
export function valueAt({ times, values }: Course, at: number, withinMs: number): number | null {
  let low = 0;
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const far = (index: number) => Math.abs((times[index] ?? Number.POSITIVE_INFINITY) - at);
  const nearest = far(low - 1) <= far(low) ? low - 1 : low;
  return far(nearest) <= withinMs ? (values[nearest] ?? null) : null;
}

/** What a course says in short. Null without values. */
export interface Figures {
  readonly least: number;
  readonly largest: number;
  readonly mean: number;
  readonly largestAt: number;
  readonly leastAt: number;
}

/** The least, the largest and the mean value, and when they were. */
export function figuresOf(course: Course): Figures | null {
  const all = course.times.flatMap((at, index) => pointOf(course, at, index));
  const [first] = all;
  if (first === undefined) return null;
  const least = all.reduce((one, other) => (other.min < one.min ? other : one), first);
  const largest = all.reduce((one, other) => (other.max > one.max ? other : one), first);
  const mean = all.reduce((sum, { value }) => sum + value, 0) / all.length;
  return { least: least.min, largest: largest.max, mean, largestAt: largest.at, leastAt: least.at };
}

function pointOf({ values, min, max }: Course, at: number, index: number) {
  const value = values[index] ?? null;
  return value === null ? [] : [{ at, value, min: min[index] ?? value, max: max[index] ?? value }];
}

/** The scale of an axis: round marks, and a range that contains all values. */
export interface Domain {
  readonly least: number;
  readonly largest: number;
  readonly marks: readonly number[];
}

const factors = [1, 2, 2.5, 5, 10];

/** Round steps: a number of decimal digits. */
export function decimalStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  return (factors.find((factor) => factor * power >= raw * 0.999) ?? 10) * power;
}

const clockSteps = [5, 10, 15, 30, 60, 120, 300, 600, 1200];

/** Round steps of seconds that are read as minutes. */
export const clockStep = (raw: number) => clockSteps.find((step) => step >= raw) ?? 1200;

/** Round marks for a range of values: about `count` of them, with at least `smallestStep` between two. */
export function domainOf(
  least: number,
  largest: number,
  { count = 4, smallestStep = 0, stepFor = decimalStep } = {},
): Domain {
  const step = stepFor(Math.max((largest - least) / count, smallestStep, 1e-6));
  const bottom = Math.floor(least / step + 1e-9) * step;
  const top = Math.max(bottom + step, Math.ceil(largest / step - 1e-9) * step);
  const marks = Array.from(
    { length: Math.round((top - bottom) / step) + 1 },
    (_, index) => bottom + index * step,
  );
  return { least: bottom, largest: top, marks };
}

/** The values between which this part of all lies, so that a few stops do not flatten a pace. */
export function middleOf(values: Column, part: number): { least: number; largest: number } | null {
  const known = values.filter((value) => value !== null).toSorted((one, other) => one - other);
  const out = (1 - part) / 2;
  const [least, largest] = [
    known[Math.floor(known.length * out)],
    known[Math.ceil(known.length * (1 - out)) - 1],
  ];
  return least === undefined || largest === undefined ? null : { least, largest };
}

/** The place of an instant, or of a value. */
export type Scale = (value: number) => number;

const shown = (value: number) => value.toFixed(1);

/** The line of a course; a point without neighbours is a dot. */
export function pathOf({ times, values }: Course, x: Scale, y: Scale): string {
  let isDrawing = false;
  return times
    .map((time, index) => {
      const value = values[index] ?? null;
      const command = value === null ? '' : `${isDrawing ? 'L' : 'M'}${shown(x(time))} ${shown(y(value))}`;
      const isAlone = value !== null && !isDrawing && (values[index + 1] ?? null) === null;
      isDrawing = value !== null;
      return isAlone ? `${command}h0.1` : command;
    })
    .join('');
}

/** A dot for each value. */
export const dotsOf = ({ times, values }: Course, x: Scale, y: Scale) =>
  times
    .flatMap((time, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [`M${shown(x(time))} ${shown(y(value))}h0.1`];
    })
    .join('');

/** The area between the least and the largest values. */
export function bandOf({ times, values, min, max }: Course, x: Scale, y: Scale): string {
  const point = (column: Column, index: number) =>
    `${shown(x(times[index] ?? 0))} ${shown(y(column[index] ?? values[index] ?? 0))}`;
  return runsOf(values)
    .map((run) => {
      const [top, bottom] = [
        run.map((index) => point(max, index)),
        run.toReversed().map((index) => point(min, index)),
      ];
      return `M${[...top, ...bottom].join('L')}Z`;
    })
    .join('');
}

/** The indexes of values without an interruption. */
function runsOf(values: Column): number[][] {
  const runs: number[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(index);
  });
  return runs.filter(({ length }) => length > 1);
}
