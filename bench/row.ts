import { type Figures, ratioOf } from './rounds.ts';

/** A line of the report. */
export interface Row {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly ratio: string;
  readonly goal: string;
  readonly verdict: 'met' | 'missed' | '';
}

/** A bound that a figure or a ratio is held to. */
export type Goal = { readonly most: number } | { readonly least: number };

/** A pair: the figures of A and B, their ratio, and its goal. */
export interface Pair {
  readonly what: string;
  readonly a: Figures;
  readonly b: Figures;
  readonly unit: Unit;
  /** The goal of the ratio A / B. */
  readonly goal?: Goal;
  /** Notes after the figures of A and B. */
  readonly notes?: readonly [a: string, b: string];
}

/** A single figure and its goal. */
export interface Single {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly goal?: Goal;
  readonly note?: string;
}

/** The units of figures. */
export type Unit = 'ms' | '/s' | 'MB' | 'bytes' | '%' | 'values/s' | 'items/s' | '';

/** The line of a pair. */
export function pairRow({ what, a, b, unit, goal, notes = ['', ''] }: Pair): Row {
  const { median, low, high } = ratioOf(a, b);
  const spread = a.rounds.length > 1 ? ` (${shown(low)}-${shown(high)})` : '';
  return {
    what,
    a: withNote(figure(a.median, unit), notes[0]),
    b: withNote(figure(b.median, unit), notes[1]),
    ratio: `${shown(median)}${spread}`,
    goal: goal === undefined ? '' : `ratio ${boundText(goal, '')}`,
    verdict: verdictOf(median, goal),
  };
}

/** The line of a single figure. */
export function singleRow({ what, value, unit, goal, note = '' }: Single): Row {
  return {
    what,
    a: withNote(figure(value, unit), note),
    b: '',
    ratio: '',
    goal: goal === undefined ? '' : boundText(goal, unit),
    verdict: verdictOf(value, goal),
  };
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

function withNote(text: string, note: string): string {
  return note === '' ? text : `${text} ${note}`;
}

function boundText(goal: Goal, unit: Unit): string {
  return 'most' in goal ? `≤ ${figure(goal.most, unit)}` : `≥ ${figure(goal.least, unit)}`;
}

function verdictOf(value: number, goal: Goal | undefined): Row['verdict'] {
  if (goal === undefined) return '';
  const holds = 'most' in goal ? value <= goal.most : value >= goal.least;
  return holds ? 'met' : 'missed';
}
