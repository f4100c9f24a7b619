import t from 'tap';
import { cutChunks } from '../../../domain/workouts/cut-chunks.ts';
import {
  cutRoute,
  keptPositions,
  metersBetween,
  type PrivacyZone,
} from '../../../domain/workouts/route-privacy.ts';
import type { StreamType, Track } from '../../../domain/workouts/track.ts';
import { seeded } from '../../services/timeseries/model.ts';

/** A random walk of some steps of up to 60 m, with a few points without a position. */
function walk(random: () => number, steps: number): Track {
  let [latitude, longitude] = [60 * random() - 30, 359 * random() - 179.5];
  const points = Array.from({ length: steps }, () => {
    latitude += (random() - 0.5) / 1000;
    longitude += (random() - 0.5) / 1000;
    return random() < 0.1 ? [Number.NaN, Number.NaN] : [latitude, longitude];
  });
  const column = (index: number) => Float64Array.from(points, (point) => point[index] ?? Number.NaN);
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', column(0)],
    ['longitude', column(1)],
    ['heart_rate', Float64Array.from(points, () => 100)],
  ]);
  return { times: points.map((_, index) => index * 1000), columns };
}

const zoneAt = (track: Track, index: number, radius_meters: number): PrivacyZone => ({
  latitude: track.columns.get('latitude')?.[index] || 0,
  longitude: track.columns.get('longitude')?.[index] || 0,
  radius_meters,
});

function positionsOf({ columns }: Track): (readonly [number, number, number])[] {
  const [latitudes = new Float64Array(), longitudes = new Float64Array()] = [
    columns.get('latitude'),
    columns.get('longitude'),
  ];
  return [...latitudes].flatMap((latitude, index) =>
    Number.isNaN(latitude) ? [] : [[index, latitude, longitudes[index] ?? 0] as const],
  );
}

t.test('no stored position lies within a zone at either end, and only the ends are cut', async (t) => {
  const random = seeded(7);
  for (let round = 0; round < 300; round += 1) {
    const track = walk(random, 2 + Math.floor(random() * 60));
    const { length } = track.times;
    const zones = [0, length - 1, Math.floor(random() * length)]
      .slice(0, 1 + Math.floor(random() * 3))
      .map((index) => zoneAt(track, index, 50 + random() * 300));
    const cut = cutRoute(track, { stores: true, zones });
    const [before, after] = [positionsOf(track), positionsOf(cut)];
    const isInside = (position: readonly number[] | undefined) =>
      position !== undefined &&
      zones.some((zone) => metersBetween(position[1] ?? 0, position[2] ?? 0, zone) <= zone.radius_meters);
    const isRight =
      !isInside(after[0]) &&
      !isInside(after.at(-1)) &&
      before.filter(([index]) => after.length > 0 && index < (after[0]?.[0] ?? 0)).every(isInside) &&
      before.filter(([index]) => after.length > 0 && index > (after.at(-1)?.[0] ?? 0)).every(isInside) &&
      (after.length > 0 || before.every(isInside)) &&
      before.filter(([index]) => index >= (after[0]?.[0] ?? length) && index <= (after.at(-1)?.[0] ?? -1))
        .length === after.length;
    if (!isRight) t.fail(`round ${round}`);
    t.equal(cut.columns.get('heart_rate'), track.columns.get('heart_rate'));
  }
});

t.test('a distance is that of a great circle, also across the date line', async (t) => {
  const meters = metersBetween(0, 179.999, { latitude: 0, longitude: -179.999, radius_meters: 50 });
  t.ok(Math.abs(meters - 222.39) < 0.01, String(meters));
  const berlinToParis = { latitude: 48.8566, longitude: 2.3522, radius_meters: 50 };
  t.ok(Math.abs(metersBetween(52.52, 13.405, berlinToParis) - 877_463) < 500);
});

t.test('nothing is kept of a route that is not to be stored, or that never leaves the zones', async (t) => {
  const track = walk(seeded(9), 20);
  t.same(positionsOf(cutRoute(track, { stores: false, zones: [] })), []);
  const whole = zoneAt(track, 0, 5000);
  t.same(positionsOf(cutRoute(track, { stores: true, zones: [whole] })), []);
  t.equal(positionsOf(cutRoute(track, { stores: true, zones: [] })).length, positionsOf(track).length);
  t.same(
    cutChunks(track, null).track.map(({ located }) => located),
    [0],
    'rules that were not read',
  );
  const nowhere = new Float64Array(3).fill(Number.NaN);
  t.equal(keptPositions(nowhere, nowhere, { stores: true, zones: [] }), null);
});
