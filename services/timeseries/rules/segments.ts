import type { SourceRank } from './sources.ts';

/*
 * Several sources may measure the same time. Time is cut at all borders of intervals. In each segment the interval of the
 * best-ranked source counts, with the part of its value that its time in the segment is of its length. Of several
 * intervals of one source the shortest counts, then the one that begins later, then the larger value. Of several
 * sources of equal rank the one counts whose interval has the most per second: the zeros of a device that is not worn do
 * not replace what another one counted.
 */

/** An interval of one series, [start_ms, end_ms). */
export interface RankedInterval extends SourceRank {
  readonly series_id: number;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
}

/** A time in which an interval counts. */
export interface Segment<T extends RankedInterval> {
  readonly interval: T;
  readonly startMs: number;
  readonly endMs: number;
}

/** An interval without length, such as a drink, counts as one millisecond. */
export function endOf({ start_ms, end_ms }: Pick<RankedInterval, 'start_ms' | 'end_ms'>): number {
  return Math.max(end_ms, start_ms + 1);
}

/** Sums are made of whole billionths, so that neither their order nor the place of a cut changes them. */
export const nanosPerUnit = 1e9;

/** The part of an interval's value that belongs to [startMs, endMs), which lies within it, in billionths. */
export function nanosWithin(interval: RankedInterval, startMs: number, endMs: number): number {
  return nanosUntil(interval, endMs) - nanosUntil(interval, startMs);
}

function nanosUntil(interval: RankedInterval, ms: number): number {
  const { start_ms, value } = interval;
  return Math.round((value * nanosPerUnit * (ms - start_ms)) / (endOf(interval) - start_ms));
}

/** The segments of intervals: disjoint, ascending, together all time that an interval covers. */
export function segmentsOf<T extends RankedInterval>(intervals: readonly T[]): Segment<T>[] {
  const whole = intervals
    .map((interval) => ({ interval, startMs: interval.start_ms, endMs: endOf(interval) }))
    .toSorted((a, b) => a.startMs - b.startMs);
  if (areDisjoint(whole)) return whole;
  // Each source is cut on its own first. One order over all intervals would not be transitive: of one source the shortest
  // counts, of two the largest.
  const bySeries = [...Map.groupBy(whole, ({ interval }) => interval.series_id).values()];
  const ofEach = bySeries.map((own) => (areDisjoint(own) ? own : cut(own, compareOfSource)));
  return ofEach.length === 1 ? ofEach.flat() : cut(ofEach.flat(), compareSources);
}

// Intervals of one device rarely overlap.
function areDisjoint(ascending: readonly Segment<RankedInterval>[]): boolean {
  return ascending.every(({ startMs }, index) => startMs >= (ascending[index - 1]?.endMs ?? startMs));
}

type Compare = (a: RankedInterval, b: RankedInterval) => number;

const lengthOf = (interval: RankedInterval) => endOf(interval) - interval.start_ms;

const compareOfSource: Compare = (a, b) =>
  lengthOf(a) - lengthOf(b) || b.start_ms - a.start_ms || b.value - a.value;

const compareSources: Compare = (a, b) =>
  a.rank - b.rank || b.value / lengthOf(b) - a.value / lengthOf(a) || a.place - b.place;

/** The parts of pieces that come first by an order. Adjacent parts of an interval are joined. */
function cut<T extends RankedInterval>(pieces: readonly Segment<T>[], compare: Compare): Segment<T>[] {
  const best = pieces.toSorted((a, b) => compare(a.interval, b.interval));
  const byStart = [...best.keys()].sort((a, b) => startAt(best, a) - startAt(best, b));
  const borders = bordersOf(best);
  const open = new PlaceHeap();
  const segments: { interval: T; startMs: number; endMs: number }[] = [];
  let next = 0;
  for (const [index, startMs] of borders.entries()) {
    for (; next < byStart.length && startAt(best, byStart[next]) === startMs; next += 1)
      open.push(byStart[next] ?? 0);
    const interval = firstOpen(open, best, startMs)?.interval;
    const endMs = borders[index + 1];
    if (interval === undefined || endMs === undefined) continue;
    const last = segments.at(-1);
    if (last?.interval === interval && last.endMs === startMs) last.endMs = endMs;
    else segments.push({ interval, startMs, endMs });
  }
  return segments;
}

function startAt(pieces: readonly Segment<RankedInterval>[], place: number | undefined): number {
  return pieces[place ?? -1]?.startMs ?? Number.NaN;
}

function bordersOf(pieces: readonly Segment<RankedInterval>[]): Float64Array {
  const all = new Float64Array(pieces.length * 2);
  for (const [index, { startMs, endMs }] of pieces.entries()) {
    all[2 * index] = startMs;
    all[2 * index + 1] = endMs;
  }
  all.sort();
  return all.filter((border, index) => index === 0 || border !== all[index - 1]);
}

/** The best open piece at an instant. Those that have ended are dropped when they come first. */
function firstOpen<T extends RankedInterval>(
  open: PlaceHeap,
  pieces: readonly Segment<T>[],
  ms: number,
): Segment<T> | undefined {
  for (;;) {
    const place = open.first();
    const piece = place === undefined ? undefined : pieces[place];
    if (piece === undefined || piece.endMs > ms) return piece;
    open.pop();
  }
}

/** A binary heap of places; the smallest comes first. */
class PlaceHeap {
  readonly #places: number[] = [];

  first(): number | undefined {
    return this.#places[0];
  }

  push(place: number): void {
    const places = this.#places;
    let index = places.length;
    places.push(place);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = places[parent] ?? 0;
      if (above <= place) break;
      places[index] = above;
      index = parent;
    }
    places[index] = place;
  }

  pop(): void {
    const places = this.#places;
    const last = places.pop();
    if (last === undefined || places.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const child = (places[right] ?? Number.POSITIVE_INFINITY) < (places[left] ?? 0) ? right : left;
      const below = places[child];
      if (below === undefined || below >= last) break;
      places[index] = below;
      index = child;
    }
    places[index] = last;
  }
}
