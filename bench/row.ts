import { median, ratioOf } from './rounds.ts';

/** A line of the report. */
export interface Row {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly ratio?: string;
  readonly goal?: string;
  readonly verdict?: 'met' | 'missed' | '';
}

/** A bound that a figure or a ratio is held to. */
export type Goal = { readonly most: number } | { readonly least: number };

/** A pair: the figures of A and B by round, their ratio, and its goal. */
export interface Pair {
  readonly what: string;
  readonly figures: readonly [a: readonly number[], b: readonly number[]];
  readonly unit: Unit;
  /** The goal of the ratio A / B. */
  readonly goal?: Goal | undefined;
  /** Notes after the figures of A and B. */
  readonly notes?: readonly [a: string, b: string] | undefined;
}

/** A single figure and its goal. Of several rounds the median is shown, with the least and the largest. */
export interface Single {
  readonly what: string;
  readonly value: number | readonly number[];
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  readonly note?: string | undefined;
}

/** The units of figures. */
export type Unit = 'ms' | '/s' | 'MB' | 'bytes' | 'values/s' | 'items/s' | '';

/** The line of a pair. */
export function pairRow({ what, figures: [a, b], unit, goal, notes = ['', ''] }: Pair): Row {
  const { median: ratio, low, high } = ratioOf(a, b);
  const spread = a.length > 1 ? ` (${shown(low)}-${shown(high)})` : '';
  return {
    what,
    a: `${figure(median(a), unit)} ${notes[0]}`.trim(),
    b: `${figure(median(b), unit)} ${notes[1]}`.trim(),
    ratio: `${shown(ratio)}${spread}`,
    goal: goal === undefined ? '' : `ratio ${boundText(goal, '')}`,
    verdict: verdictOf(ratio, goal),
  };
}

/** The line of a single figure. */
export function singleRow({ what, value, unit, goal, note = '' }: Single): Row {
  const values = [value].flat();
  const [least, largest] = [Math.min(...values), Math.max(...values)];
  const range = least === largest ? '' : `(${shown(least)}-${shown(largest)})`;
  return {
    what,
    a: [figure(median(values), unit), range, note].filter(Boolean).join(' '),
    b: '',
    goal: goal === undefined ? '' : boundText(goal, unit),
    verdict: verdictOf(median(values), goal),
  };
}

/** The line of a count that must be reached. */
export function countRow(what: string, expected: number, given: number, text: string): Row {
  const verdict = given === expected ? 'met' : 'missed';
  return { what, a: expected.toLocaleString('en'), b: text, goal: 'all', verdict };
}

/** A number with three significant digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

/** A number with its unit. */
export function figure(value: number, unit: Unit): string {
  return unit === '/s' || unit === '' ? `${shown(value)}${unit}` : `${shown(value)} ${unit}`;
}

function boundText(goal: Goal, unit: Unit): string {
  return 'most' in goal ? `≤ ${figure(goal.most, unit)}` : `≥ ${figure(goal.least, unit)}`;
}

function verdictOf(value: number, goal: Goal | undefined): 'met' | 'missed' | '' {
  if (goal === undefined) return '';
  const holds = 'most' in goal ? value <= goal.most : value >= goal.least;
  return holds ? 'met' : 'missed';
}
