/*
 * Several sources may measure the same time. Time is cut at all borders of intervals. In each segment the interval of the
 * best-ranked source counts, with the part of its value that its time in the segment is of its length. Of several
 * intervals of that source the shortest counts, then the one that begins later, then the larger value.
 */

/** An interval of one series, [start_ms, end_ms). `rank`: the place of its source, the smallest is the best. */
export interface RankedInterval {
  readonly series_id: number;
  readonly rank: number;
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
  return disjointSegments(intervals) ?? cutSegments(intervals);
}

// Intervals of one device rarely overlap.
function disjointSegments<T extends RankedInterval>(intervals: readonly T[]): Segment<T>[] | null {
  const segments: Segment<T>[] = [];
  let lastEndMs = Number.NEGATIVE_INFINITY;
  for (const interval of intervals.toSorted((a, b) => a.start_ms - b.start_ms)) {
    if (interval.start_ms < lastEndMs) return null;
    lastEndMs = endOf(interval);
    segments.push({ interval, startMs: interval.start_ms, endMs: lastEndMs });
  }
  return segments;
}

function cutSegments<T extends RankedInterval>(intervals: readonly T[]): Segment<T>[] {
  const best = intervals.toSorted(compare);
  const byStart = [...best.keys()].sort((a, b) => startAt(best, a) - startAt(best, b));
  const borders = bordersOf(best);
  const open = new PlaceHeap();
  const segments: { interval: T; startMs: number; endMs: number }[] = [];
  let next = 0;
  for (const [index, startMs] of borders.entries()) {
    for (; next < byStart.length && startAt(best, byStart[next]) === startMs; next += 1)
      open.push(byStart[next] ?? 0);
    const interval = firstOpen(open, best, startMs);
    const endMs = borders[index + 1];
    if (interval === undefined || endMs === undefined) continue;
    const last = segments.at(-1);
    if (last?.interval === interval && last.endMs === startMs) last.endMs = endMs;
    else segments.push({ interval, startMs, endMs });
  }
  return segments;
}

function compare(a: RankedInterval, b: RankedInterval): number {
  return (
    a.rank - b.rank ||
    endOf(a) - a.start_ms - (endOf(b) - b.start_ms) ||
    b.start_ms - a.start_ms ||
    b.value - a.value
  );
}

function startAt(intervals: readonly RankedInterval[], place: number | undefined): number {
  return intervals[place ?? -1]?.start_ms ?? Number.NaN;
}

function bordersOf(intervals: readonly RankedInterval[]): Float64Array {
  const all = new Float64Array(intervals.length * 2);
  for (const [index, interval] of intervals.entries()) {
    all[2 * index] = interval.start_ms;
    all[2 * index + 1] = endOf(interval);
  }
  all.sort();
  return all.filter((border, index) => index === 0 || border !== all[index - 1]);
}

/** The best open interval at an instant. Those that have ended are dropped when they come first. */
function firstOpen<T extends RankedInterval>(
  open: PlaceHeap,
  intervals: readonly T[],
  ms: number,
): T | undefined {
  for (;;) {
    const place = open.first();
    const interval = place === undefined ? undefined : intervals[place];
    if (interval === undefined || endOf(interval) > ms) return interval;
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
