import type { WorkoutStreamPoint } from '../../../../../clients/typescript/src/index.ts';
import type { Place } from '../../charts/outline.ts';

/** What a route can be coloured by. */
const colourings = ['pace', 'heart_rate', 'altitude'] as const;
export type Colouring = (typeof colourings)[number];

/** The number of colours, from little to much. */
export const levels = 5;

/** The value of a point, more of which is a warmer colour: a speed, a heart rate or an altitude. */
export function measuredBy(point: WorkoutStreamPoint, by: Colouring): number | null {
  if (by === 'pace') return point.speed ?? null;
  return (by === 'altitude' ? point.altitude : point.heart_rate) ?? null;
}

/** What can be shown of these points. */
export const available = (points: readonly WorkoutStreamPoint[]): Colouring[] =>
  colourings.filter((by) => points.some((point) => measuredBy(point, by) !== null));

/** The bounds of the levels: equally many points in each. `bounds` has one more entry than there are levels. */
export function boundsOf(values: readonly (number | null)[]): number[] | null {
  const known = values.filter((value) => value !== null).toSorted((one, other) => one - other);
  if (known.length === 0) return null;
  return Array.from({ length: levels + 1 }, (_, index) => {
    const place = Math.min(known.length - 1, Math.floor((index / levels) * known.length));
    return known[place] ?? 0;
  });
}

/** The level of a value, from 0. */
export const levelOf = (value: number, bounds: readonly number[]) =>
  Math.max(
    0,
    bounds.slice(0, levels).findLastIndex((bound) => value >= bound),
  );

/** A part of a route in one colour; `level` is null where nothing was measured. */
export interface Stretch {
  readonly level: number | null;
  readonly path: string;
}

/** The route in stretches of one colour. Each begins where the one before ends; a gap in the positions is a gap. */
export function stretchesOf(
  places: readonly (Place | null)[],
  levelAt: (index: number) => number | null,
): Stretch[] {
  const stretches: { level: number | null; path: string }[] = [];
  let isJoined = false;
  places.forEach((place, index) => {
    const before = places[index - 1] ?? null;
    if (place === null || before === null) {
      isJoined = false;
      return;
    }
    const level = levelAt(index);
    const last = stretches.at(-1);
    if (isJoined && last !== undefined && last.level === level) last.path += `L${text(place)}`;
    else stretches.push({ level, path: `M${text(before)}L${text(place)}` });
    isJoined = true;
  });
  return stretches;
}

const text = ({ x, y }: Place) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The mean of the values around each one, so that a route does not flicker between two colours. */
export function smoothed(values: readonly (number | null)[], radius: number): (number | null)[] {
  return values.map((value, index) => {
    if (value === null) return null;
    const near = values.slice(Math.max(0, index - radius), index + radius + 1).filter((one) => one !== null);
    return near.reduce((sum, one) => sum + one, 0) / near.length;
  });
}
