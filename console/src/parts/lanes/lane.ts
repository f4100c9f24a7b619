import type { ComponentChildren } from 'preact';
import type { Scale } from './course.ts';

/** The place in which a lane is drawn, in pixels. */
export interface Frame {
  /** The place of an instant in Unix milliseconds. */
  readonly x: Scale;
  readonly left: number;
  readonly right: number;
}

/** One row of a figure that has a time axis in common with the others. */
export interface Lane {
  /** Is another one for each lane of a figure. */
  readonly id: string;
  readonly name: string;
  /** Its unit and its source. */
  readonly note: string;
  /** The colour: the name of a lane of tokens.css. */
  readonly tone: Tone;
  /** What the lane says, in a sentence. */
  readonly sentence: string;
  /** The same in few characters, shown without a cursor. */
  readonly short: string;
  readonly height: number;
  /** The instants at which its value changes. */
  readonly times: readonly number[];
  /** Its value at an instant; '' for none. */
  read(at: number): string;
  draw(frame: Frame): ComponentChildren;
}

/** The names of the lanes of tokens.css. */
export type Tone = 'heart' | 'sleep' | 'activity' | 'workout' | 'stress' | 'oxygen' | 'glucose';

const mostRows = 240;

/** The instants of the rows of a table: all, or evenly many if there are more. */
export function rowTimes(lanes: readonly Lane[], { from, to }: { from: number; to: number }): number[] {
  const all = [...new Set(lanes.flatMap(({ times }) => times))].filter((at) => at >= from && at <= to);
  if (all.length <= mostRows) return all.toSorted((one, other) => one - other);
  const step = Math.ceil((to - from) / mostRows / 60_000) * 60_000;
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
}
