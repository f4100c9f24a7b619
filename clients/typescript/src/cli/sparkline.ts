/** A part of a series: its start and length in milliseconds, the value, and how many samples it stands for. */
export interface Point {
  readonly time: number;
  readonly lengthMs: number;
  readonly value: number;
  readonly count: number;
}

const levels = '▁▂▃▄▅▆▇█';

/** A line of `width` characters over [start, end). A column without points is blank. Additive values of a column are added. */
export function sparkline(
  points: readonly Point[],
  range: readonly [number, number],
  width: number,
  isSum: boolean,
): string {
  const columns = columnsOf(points, range, width, isSum);
  const known = columns.filter((value) => value !== null);
  // A sum is a part of the day: its scale begins at zero.
  const least = isSum ? Math.min(0, ...known) : Math.min(...known);
  const span = Math.max(...known) - least;
  const levelOf = (value: number) =>
    levels[span === 0 ? 3 : Math.round(((value - least) / span) * (levels.length - 1))];
  return columns
    .map((value) => (value === null ? ' ' : levelOf(value)))
    .join('')
    .trimEnd();
}

/** A point that covers several columns is part of each. An additive value is divided among them. */
function columnsOf(
  points: readonly Point[],
  [start, end]: readonly [number, number],
  width: number,
  isSum: boolean,
): (number | null)[] {
  const columns = Array.from({ length: width }, () => ({ sum: 0, weight: 0 }));
  const columnMs = (end - start) / width;
  for (const { time, lengthMs, value, count } of points) {
    const from = (time - start) / columnMs;
    const to = Math.max(from + lengthMs / columnMs, from + Number.EPSILON);
    for (const [at, column] of columns.entries()) {
      const overlap = Math.min(to, at + 1) - Math.max(from, at);
      const isInstant = lengthMs === 0 && Math.floor(from) === at;
      if (overlap <= 0 && !isInstant) continue;
      const share = isInstant ? 1 : overlap / (to - from);
      column.sum += value * share * (isSum ? 1 : count);
      column.weight += share * (isSum ? 1 : count);
    }
  }
  return columns.map(({ sum, weight }) => (weight === 0 ? null : isSum ? sum : sum / weight));
}
