import { rangeOf } from './lane-texts.ts';
import type { LineLane, Picture } from './picture.ts';
import { type Points, usualDistance } from './points.ts';

/** The name of a lane. */
export type LaneId = LineLane['id'] | 'sleep' | 'activity' | 'workouts';

/** Where a lane lies: its label from `top`, its drawing below. In units of CSS pixels. */
export interface LanePlace {
  readonly id: LaneId;
  readonly top: number;
  /** The rows of its label. */
  readonly rows: number;
  readonly plotTop: number;
  readonly height: number;
}

const heights: Readonly<Record<LaneId, number>> = {
  heart: 168,
  sleep: 72,
  activity: 56,
  workouts: 28,
  stress: 56,
  battery: 56,
  oxygen: 56,
  glucose: 56,
};
/** The height of the hours above all lanes. */
export const hoursHeight = 28;
const [rowHeight, belowLabel, between] = [18, 8, 12];
/** The widths of a character of a title and of a text. */
const [titleWidth, textWidth] = [9, 6.8];
const mostRows = 5;

/** The label of a lane: its name, what it says, and its sources. */
export interface LaneLabel {
  readonly id: LaneId;
  readonly title: string;
  readonly text: string;
  readonly sources: readonly string[];
}

/** The rows that a label needs: one if all of it fits beside each other, otherwise the text has rows of its own. */
export function labelRows({ title, text, sources }: LaneLabel, width: number): number {
  const source = (sources.join('').length + sources.length * 4) * textWidth;
  const name = title.length * titleWidth + source;
  const said = text.length * textWidth;
  if (name + said <= width) return 1;
  const most = Math.max(1, width);
  const rows = (name <= width ? 1 : 1 + Math.ceil(source / most)) + Math.ceil(said / most);
  return Math.min(mostRows, rows);
}

/** Lanes from the top to the bottom: those that have data; lines other than the heart rate only if they are not folded away. */
export function lanesOf({ heart, sleeps, steps, workouts, lines }: Picture, isFolded: boolean): LaneId[] {
  return [
    ...(heart.tracks.length > 0 ? ['heart' as const] : []),
    ...(sleeps.length > 0 ? ['sleep' as const] : []),
    ...(steps !== null ? ['activity' as const] : []),
    ...(workouts.length > 0 ? ['workouts' as const] : []),
    ...(isFolded ? [] : lines.map(({ id }) => id)),
  ];
}

/** The places of lanes, and the height of all together. */
export function placesOf(
  lanes: readonly LaneLabel[],
  width: number,
  unit: number,
): { places: LanePlace[]; height: number } {
  let top = hoursHeight * unit;
  const places = lanes.map((label) => {
    const rows = labelRows(label, width / unit);
    const plotTop = top + (rows * rowHeight + belowLabel) * unit;
    const place = { id: label.id, top, rows, plotTop, height: heights[label.id] * unit };
    top = plotTop + place.height + between * unit;
    return place;
  });
  return { places, height: top };
}

/** The values at the lower and upper edge of a lane, and those that have a line of the grid. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

const steps = [1, 2, 5, 10, 20, 25, 50, 100, 200];

/** The scale of a lane that shows its values and `also`. */
export function scaleOf(lane: LineLane, also: readonly number[] = [], mostTicks = 4): Scale {
  const range = rangeOf(lane);
  const all = [...(range === null ? [] : [range.min, range.max]), ...also];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = Math.max(1, high - low);
  const step = steps.find((one) => span / one <= mostTicks) ?? Math.ceil(span / mostTicks);
  const [from, to] = [low - span * 0.06, high + span * 0.06];
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((to - first) / step) + 1;
  return {
    low: from,
    high: to,
    ticks: Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step),
  };
}

type Place = (value: number) => number;

const shortestBreak = 15 * 60_000;
const breakFactor = 4;

/** The runs of points without an interruption, as [first, end) indexes. */
export function runsOf(points: Pick<Points, 'times' | 'bucketMs'>): [first: number, end: number][] {
  const { times } = points;
  const longest = Math.max(shortestBreak, breakFactor * usualDistance(points));
  const starts = times.flatMap((at, index) =>
    index === 0 || at - (times[index - 1] ?? at) > longest ? [index] : [],
  );
  return starts.map((start, index) => [start, starts[index + 1] ?? times.length]);
}

const short = (value: number) => Math.round(value * 10) / 10;

/** The line through points; a single point is a dot. */
export function linePath(points: Points, x: Place, y: Place): string {
  return runsOf(points)
    .map(([first, end]) => {
      const places = placesIn(points, points.values, first, end, x, y);
      return places.length === 1 ? `M${places[0]}h0` : `M${places.join('L')}`;
    })
    .join('');
}

/** The band from the least to the largest value of each bucket; empty where every sample is a point. */
export function bandPath(points: Points, x: Place, y: Place): string {
  if (points.bucketMs === 0) return '';
  return runsOf(points)
    .map(([first, end]) => {
      const upper = placesIn(points, points.maxs, first, end, x, y);
      const lower = placesIn(points, points.mins, first, end, x, y).toReversed();
      return `M${[...upper, ...lower].join('L')}Z`;
    })
    .join('');
}

function placesIn(
  { times, bucketMs }: Points,
  values: readonly number[],
  first: number,
  end: number,
  x: Place,
  y: Place,
): string[] {
  return times
    .slice(first, end)
    .map((at, index) => `${short(x(at + bucketMs / 2))} ${short(y(values[first + index] ?? 0))}`);
}
