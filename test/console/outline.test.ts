import t from 'tap';
import { outlineOf, type RoutePoint } from '../../console/src/parts/charts/outline.ts';

const at = (latitude: number, longitude: number): RoutePoint => ({ latitude, longitude });

t.test('an outline has the proportions of the ground, with north at the top', async (t) => {
  // At 60 degrees a degree of longitude is half as long as one of latitude.
  const outline = outlineOf([at(60, 10), at(60, 10.02), at(60.01, 10.02), at(60.01, 10)], 100);
  const { width = 0, height = 0, start, end } = outline ?? {};
  t.same(
    [width, height, start?.x, start?.y, end?.x, end?.y].map(Number).map(Math.round),
    [100, 100, 0, 100, 0, 0],
  );
  t.equal(outline?.path, 'M0.0 100.0L100.0 100.0L100.0 0.0L0.0 0.0');
});

t.test('points without a position are gaps', async (t) => {
  const outline = outlineOf(
    [at(0, 0), at(0, 1), { latitude: null, longitude: null }, {}, at(0, 3), at(0, 4)],
    40,
  );
  t.equal(outline?.path, 'M0.0 0.0L10.0 0.0M30.0 0.0L40.0 0.0');
  t.same([outline?.width, outline?.height], [40, 0]);
});

t.test('a route across the 180th meridian is one line', async (t) => {
  const outline = outlineOf([at(0, 179), at(0, -180), at(0, -179)], 20);
  t.equal(outline?.path, 'M0.0 0.0L10.0 0.0L20.0 0.0');
  t.equal(outlineOf([at(0, -179), at(0, 179)], 20)?.path, 'M20.0 0.0L0.0 0.0');
});

t.test('fewer than two different positions have no outline', async (t) => {
  for (const points of [[], [{}], [at(5, 5)], [at(5, 5), at(5, 5)]]) t.equal(outlineOf(points, 100), null);
});
