import t from 'tap';
import { outlineOf } from '../../console/src/parts/charts/outline.ts';
import { courseThrough } from '../../console/src/parts/lanes/course.ts';
import {
  available,
  boundsOf,
  levelOf,
  smoothed,
  stretchesOf,
} from '../../console/src/parts/person/workouts/route-colours.ts';
import { maximumOf, timeInZones } from '../../console/src/parts/person/workouts/zones.ts';

t.test('time in zones is counted between values, and pauses are not', async (t) => {
  const times = [0, 10, 20, 30, 200, 210].map((seconds) => seconds * 1000);
  const zones = timeInZones(courseThrough(times, [80, 125, 125, 185, 190, 190]), 200);
  t.strictSame(
    zones.map(({ number, from, to, seconds }) => [number, from, to, seconds]),
    [
      [1, 100, 120, 10],
      [2, 120, 140, 20],
      [3, 140, 160, 0],
      [4, 160, 180, 0],
      [5, 180, null, 10],
    ],
  );
  t.equal(zones[1]?.part, 0.5);
  const seldom = courseThrough([0, 300_000, 600_000], [150, 150, 150]);
  t.equal(timeInZones(seldom, 200)[2]?.seconds, 600, 'a value every five minutes');
  t.ok(timeInZones(courseThrough([], []), 200).every(({ part }) => part === 0));
});

t.test('the maximum is the highest of the year, or that of the age if it is higher', async (t) => {
  t.strictSame(maximumOf(178, null, 160), { bpm: 178, basis: 'measured' });
  t.strictSame(maximumOf(178, 30, 160), { bpm: 190, basis: 'age' });
  t.strictSame(maximumOf(178, 60, 160), { bpm: 178, basis: 'measured' });
  t.strictSame(maximumOf(null, null, 160), { bpm: 160, basis: 'workout' });
  t.equal(maximumOf(null, null, null), null);
});

t.test('a route is cut where its colour changes, and its parts touch', async (t) => {
  const place = (x: number) => ({ x, y: 0 });
  const levels = [0, 0, 1, 1, null, 1];
  t.strictSame(
    stretchesOf(
      [place(0), place(1), place(2), place(3), place(4), place(5)],
      (index) => levels[index] ?? null,
    ),
    [
      { level: 0, path: 'M0.0 0.0L1.0 0.0' },
      { level: 1, path: 'M1.0 0.0L2.0 0.0L3.0 0.0' },
      { level: null, path: 'M3.0 0.0L4.0 0.0' },
      { level: 1, path: 'M4.0 0.0L5.0 0.0' },
    ],
  );
  t.strictSame(
    stretchesOf([place(0), null, place(2), place(3)], () => 0),
    [{ level: 0, path: 'M2.0 0.0L3.0 0.0' }],
    'a gap in the positions is a gap',
  );
});

t.test('levels have equally many points, and the ends are in the first and the last one', async (t) => {
  const values = Array.from({ length: 10 }, (_, index) => index);
  const bounds = boundsOf([null, ...values]) ?? [];
  t.strictSame(
    values.map((value) => levelOf(value, bounds)),
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
  );
  t.equal(levelOf(-5, bounds), 0);
  t.equal(boundsOf([null]), null);
  t.strictSame(smoothed([1, null, 3, 5], 1), [1, null, 4, 4]);
});

t.test('only what was measured can colour a route', async (t) => {
  const timestamp = '2026-11-02T00:00:00Z';
  t.strictSame(available([{ timestamp, heart_rate: 100, altitude: null }]), ['heart_rate']);
  t.strictSame(
    available([
      { timestamp, speed: 0 },
      { timestamp, altitude: 5 },
    ]),
    ['pace', 'altitude'],
  );
});

t.test('an outline has the place of each point', async (t) => {
  const outline = outlineOf([{ latitude: 0, longitude: 0 }, {}, { latitude: 0, longitude: 1 }], 10);
  t.strictSame(outline?.places, [{ x: 0, y: 0 }, null, { x: 10, y: 0 }]);
});
