import { metersBetween } from '../../domain/workouts/route-privacy.ts';
import { acceptsStream, streams } from '../../domain/workouts/track.ts';
import type { Point } from './recording.ts';

/*
 * What the points of an activity say of it as a whole, for files without totals. The time between segments is a pause. Altitudes of
 * satellites and barometers waver by meters, so they are smoothed, and a climb counts from a threshold on: without it the points of a
 * flat hour add up to hundreds of meters.
 */

/** Null: the points do not say it. */
export interface PointTotals {
  readonly distance_meters: number | null;
  readonly moving_seconds: number | null;
  readonly elevation_gain_meters: number | null;
  readonly elevation_loss_meters: number | null;
}

type Segment = readonly Point[];

/** The totals of segments, whose points are in the order of time. */
export function totalsOf(segments: readonly Segment[]): PointTotals {
  const isCounted = segments.flat().filter(isCounting).length > 1;
  const ways = segments.map((segment) => segment.filter(isCounted ? isCounting : isLocated));
  const isMeasured = ways.some((way) => way.length > 1);
  const meters = sum(ways.map((way) => wayMeters(way, isCounted)));
  const isMoving = isMeasured && meters > 0;
  const movingMs = segments.map((segment, index) => {
    const way = ways[index] ?? [];
    return lengthMs(segment) - (isMoving ? standingMs(way, isCounted) : 0);
  });
  const climbs = segments.flatMap((segment) => climbOf(segment) ?? []);
  const isTimed = segments.some((segment) => lengthMs(segment) > 0);
  return {
    distance_meters: isMeasured ? meters : null,
    moving_seconds: isTimed ? Math.round(sum(movingMs) / 1000) : null,
    elevation_gain_meters: climbs.length === 0 ? null : sum(climbs.map(({ gain }) => gain)),
    elevation_loss_meters: climbs.length === 0 ? null : sum(climbs.map(({ loss }) => loss)),
  };
}

/** To the millimeter. */
const sum = (values: readonly number[]) =>
  Math.round(1000 * values.reduce((all, value) => all + value, 0)) / 1000;
const lengthMs = (segment: Segment) => (segment.at(-1)?.ms ?? 0) - (segment[0]?.ms ?? 0);
const isCounting = ({ distance }: Point) => acceptsStream('distance', distance);
const isLocated = ({ latitude, longitude }: Point) =>
  acceptsStream('latitude', latitude) && acceptsStream('longitude', longitude);

/** From one point to another: by the distances that the device counted, else between their positions. */
function metersOf(from: Point, to: Point, isCounted: boolean): number {
  if (isCounted) return Math.max(0, (to.distance ?? 0) - (from.distance ?? 0));
  const { latitude = 0, longitude = 0 } = to;
  return metersBetween(from.latitude ?? 0, from.longitude ?? 0, { latitude, longitude, radius_meters: 0 });
}

// A position that nobody reaches in the time is wrong. A counted distance has no such positions.
function wayMeters(way: Segment, isCounted: boolean): number {
  let meters = 0;
  for (const [index, to] of way.entries()) {
    const from = way[index - 1];
    if (from === undefined) continue;
    const step = metersOf(from, to, isCounted);
    if (isCounted || step <= (streams.speed.max * (to.ms - from.ms)) / 1000) meters += step;
  }
  return meters;
}

const slowestMetersPerSecond = 0.3;
/** Over a shorter time the rounding of positions looks like a stop. */
const shortestStopMs = 10_000;

/** The time in which a way goes on slower than anyone walks, in pieces of ten seconds or more. */
function standingMs(way: Segment, isCounted: boolean): number {
  let ms = 0;
  let [from] = way;
  for (const [index, to] of way.entries()) {
    if (from === undefined || (to.ms - from.ms < shortestStopMs && index < way.length - 1)) continue;
    const isStanding = metersOf(from, to, isCounted) < (slowestMetersPerSecond * (to.ms - from.ms)) / 1000;
    if (isStanding) ms += to.ms - from.ms;
    from = to;
  }
  return ms;
}

/** Altitudes are the mean of this time before and after. */
const smoothedMs = 10_000;
/** A climb or a descent of less is the wavering of the sensor. */
const leastClimbMeters = 3;

/** The climbs and descents of a segment: from each lowest to the next highest altitude and back, of at least the threshold. */
function climbOf(segment: Segment): { readonly gain: number; readonly loss: number } | null {
  const [first, ...others] = smoothedAltitudes(segment);
  if (first === undefined || others.length === 0) return null;
  const total = { gain: 0, loss: 0 };
  let [low, high] = [first, first];
  let direction: 'up' | 'down' | null = null;
  for (const altitude of others) {
    if (direction !== 'down' && altitude > high) high = altitude;
    if (direction !== 'up' && altitude < low) low = altitude;
    if (direction !== 'down' && high - altitude >= leastClimbMeters) {
      if (direction === 'up') total.gain += high - low;
      [direction, low] = ['down', altitude];
    } else if (direction !== 'up' && altitude - low >= leastClimbMeters) {
      if (direction === 'down') total.loss += high - low;
      [direction, high] = ['up', altitude];
    }
  }
  if (direction === 'up') total.gain += high - low;
  if (direction === 'down') total.loss += high - low;
  return total;
}

function smoothedAltitudes(segment: Segment): number[] {
  const points = segment.flatMap(({ ms, altitude }) =>
    acceptsStream('altitude', altitude) ? [{ ms, altitude }] : [],
  );
  let [from, to, total] = [0, 0, 0];
  return points.map(({ ms }) => {
    for (let next = points[to]; next !== undefined && next.ms <= ms + smoothedMs; next = points[to]) {
      total += next.altitude;
      to += 1;
    }
    for (let past = points[from]; past !== undefined && past.ms < ms - smoothedMs; past = points[from]) {
      total -= past.altitude;
      from += 1;
    }
    return total / (to - from);
  });
}
