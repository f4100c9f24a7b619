import { noiseOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { offsetMinutesAt } from '../simulation/zone.ts';
import type { Workout } from './day.ts';
import { sportOf } from './sports.ts';

/** Degrees north and east. */
export type Position = readonly [latitude: number, longitude: number];

const metersPerDegree = 111_320;

/**
 * The way of a workout: a bent loop from the person's door, one step for each second. Null indoors, where nothing climbs.
 * The door is a made-up place at the longitude of the person's clock.
 */
export function routeFrom(
  { seed, traits }: SimulatedUser,
  { startMs, endMs, plan }: Workout,
): ((ms: number, metersPerSecond: number) => Position) | null {
  if (sportOf(plan.sport).climb_m_per_km === 0) return null;
  const noise = noiseOf(`${seed}/route`);
  const begin = noise(startMs, 1000) * Math.PI;
  let latitude = 47 + noise(0, 1000);
  let longitude = offsetMinutesAt(traits.zone, startMs) / 4 + noise(1000, 1000);
  return (ms, metersPerSecond) => {
    const turned = (2 * Math.PI * (ms - startMs)) / (endMs - startMs);
    const heading = begin + turned + 0.9 * noise(ms, 240_000);
    latitude += (Math.cos(heading) * metersPerSecond) / metersPerDegree;
    longitude +=
      (Math.sin(heading) * metersPerSecond) / (metersPerDegree * Math.cos((latitude * Math.PI) / 180));
    return [rounded(latitude), rounded(longitude)];
  };
}

// About 10 cm.
function rounded(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
