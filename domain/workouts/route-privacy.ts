import { z } from 'zod';
import type { Track } from './track.ts';

/** A circle around a place that routes must not lead to: a home, a work place. */
export const PrivacyZone = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  radius_meters: z.number().min(50).max(5000),
});
export type PrivacyZone = z.infer<typeof PrivacyZone>;

/** What is stored of the routes of a user. */
export interface RouteRules {
  /** Whether positions are stored at all. */
  readonly stores: boolean;
  readonly zones: readonly PrivacyZone[];
}

/** The mean radius of the earth in meters. */
const earthMeters = 6_371_008.8;
const radians = Math.PI / 180;

/** The distance of two positions in meters, along a great circle. */
export function metersBetween(latitude: number, longitude: number, zone: PrivacyZone): number {
  const [a, b] = [latitude * radians, zone.latitude * radians];
  const half = Math.sin((b - a) / 2) ** 2;
  const across = Math.cos(a) * Math.cos(b) * Math.sin(((zone.longitude - longitude) * radians) / 2) ** 2;
  return 2 * earthMeters * Math.asin(Math.min(1, Math.sqrt(half + across)));
}

/** Indexes of the first and last position that may be stored. Null: none may. Positions that are NaN do not count. */
export function keptPositions(
  latitudes: Float64Array,
  longitudes: Float64Array,
  { stores, zones }: RouteRules,
): { first: number; last: number } | null {
  if (!stores) return null;
  const isOutside = (index: number) => {
    const [latitude = Number.NaN, longitude = Number.NaN] = [latitudes[index], longitudes[index]];
    if (Number.isNaN(latitude) || Number.isNaN(longitude)) return false;
    return zones.every((zone) => metersBetween(latitude, longitude, zone) > zone.radius_meters);
  };
  const [start, end] = [0, latitudes.length - 1];
  let first = start;
  while (first <= end && !isOutside(first)) first += 1;
  if (first > end) return null;
  let last = end;
  while (!isOutside(last)) last -= 1;
  return { first, last };
}

/** The track without the positions that the rules forbid. All other streams stay. */
export function cutRoute(track: Track, rules: RouteRules): Track {
  const [latitudes, longitudes] = [track.columns.get('latitude'), track.columns.get('longitude')];
  const columns = new Map(track.columns);
  columns.delete('latitude');
  columns.delete('longitude');
  if (latitudes === undefined || longitudes === undefined) return { ...track, columns };
  const kept = keptPositions(latitudes, longitudes, rules);
  if (kept === null) return { ...track, columns };
  columns.set('latitude', only(latitudes, kept));
  columns.set('longitude', only(longitudes, kept));
  return { ...track, columns };
}

function only(values: Float64Array, { first, last }: { first: number; last: number }): Float64Array {
  return values.map((value, index) => (index >= first && index <= last ? value : Number.NaN));
}
