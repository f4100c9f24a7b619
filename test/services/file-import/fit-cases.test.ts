import t from 'tap';
import { createUser, startApi } from '../../support/api.ts';
import { answersOf, fitCase } from './fit-files.ts';
import { importFile } from './importing.ts';

// Files of forms that were read wrong, each with what is right.

const api = await startApi(t, { SANDBOX: 'off' });

async function imported(path: string) {
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const done = await importFile(api, userId, fitCase(path));
  return { done, ...answersOf(api, userId) };
}

/** The number of values of each stream, with the first and the last one. */
const outline = (streams: Readonly<Record<string, unknown[]>>) =>
  Object.fromEntries(
    Object.entries(streams).map(([type, values]) => [type, [values.length, values[0], values.at(-1)]]),
  );

interface Expected {
  readonly workout: Readonly<Record<string, unknown>>;
  readonly streams?: Readonly<Record<string, readonly unknown[]>>;
}

const activities: Readonly<Record<string, Expected>> = {
  '01-fit-split-records/fit-split-records': {
    workout: { type: 'running', distance_meters: 360 },
    streams: {
      altitude: [120, 200, 200],
      distance: [120, 0, 357],
      speed: [120, 3, 3],
      heart_rate: [120, 100, 139],
    },
  },
  '06-fit-clock-jump/fit-clock-jump': {
    workout: { start_time: '2026-11-10T08:40:00Z', end_time: '2026-11-10T08:50:00Z' },
    streams: { distance: [600, 0, 1797], heart_rate: [600, 100, 159] },
  },
  '08-fit-hr-messages/fit-hr-messages-one': {
    workout: { type: 'swimming' },
    streams: { heart_rate: [120, 120, 139], distance: [120, 0, 119] },
  },
  '09-fit-native-override/fit-native-dev': {
    workout: { type: 'rowing', name: 'Indoor rowing', distance_meters: 476 },
    streams: { distance: [120, 0, 476], power: [120, 200, 209] },
  },
  '10-fit-heart-rate-zero/fit-hr-zero': {
    workout: { avg_heart_rate_bpm: null, max_heart_rate_bpm: null },
    streams: { distance: [60, 0, 177], speed: [60, 3, 3] },
  },
  '11-fit-system-time/fit-system-time': {
    workout: { start_time: '2026-11-10T08:35:00Z', end_time: '2026-11-10T08:40:00Z', zone_offset: '+01:00' },
    streams: { heart_rate: [300, 150, 150] },
  },
  '12-fit-pool-lengths/fit-pool': {
    workout: { type: 'swimming', details: { swim_lengths: 8, swim_strokes: 96, pool_length_meters: 25 } },
    streams: { distance: [9, 0, 200] },
  },
  '14-fit-compressed-distance/fit-compressed-distance': {
    workout: { type: 'running' },
    streams: { distance: [60, 15, 900], speed: [60, 3, 3], heart_rate: [60, 120, 120] },
  },
  '15-fit-local-equals-utc/fit-local-equals-utc': {
    workout: { start_time: '2026-11-10T08:40:00Z', zone_offset: '+01:00' },
  },
  '19-gpx-sport/sport-ebike': { workout: { type: 'cycling' } },
  '19-gpx-sport/sport-ergtreadmill': { workout: { type: 'running' } },
  '19-gpx-sport/sport-rowing-erg': { workout: { type: 'rowing' } },
};

for (const [path, { workout: expected, streams }] of Object.entries(activities))
  t.test(`${path} is one workout`, async (t) => {
    const { done, workouts, workout, streams: streamsOf } = await imported(path);
    t.match(done, { state: 'done', kind: 'fit', error: null, counts: { workouts: 1 } });
    const [first, ...others] = await workouts();
    t.same(others, []);
    t.match(await workout(first?.id ?? ''), expected);
    if (streams !== undefined) t.match(outline(await streamsOf(first?.id ?? '')), streams);
  });

t.test(
  'times since power-on are placed by the local time of the activity and the zone of the user',
  async (t) => {
    const path = '11-fit-system-time/fit-system-time';
    const { workouts, instants } = await imported(path);
    const [first] = await workouts();
    const at = await instants(first?.id ?? '');
    t.same([at[0], at.at(-1)], ['2026-11-10T08:35:00Z', '2026-11-10T08:39:59Z']);
    const { skipped, counts } = await importFile(api, await createUser(api, {}), fitCase(path));
    t.same(counts, {});
    const reason = 'The times count from power-on, and the time zone of the user is not known.';
    t.match(skipped[0], { type: 'workouts', reason, items: 1 });
  },
);

t.test('laps before and after a step of the clock are those of the activity', async (t) => {
  const { done, workouts, workout } = await imported('06-fit-clock-jump/fit-clock-jump');
  t.same(done.skipped, []);
  const [first] = await workouts();
  t.match(await workout(first?.id ?? ''), {
    laps: [{ start_time: '2026-11-10T08:40:00Z' }, { start_time: '2026-11-10T08:45:00Z' }],
  });
});

t.test('each of two files behind one another is a workout', async (t) => {
  const { done, workouts } = await imported('07-fit-chained/fit-chained');
  t.match(done, { state: 'done', counts: { workouts: 2 }, skipped: [] });
  t.match(await workouts(), [
    { type: 'running', start_time: '2026-11-10T08:40:00Z', distance_meters: 900 },
    { type: 'cycling', start_time: '2026-11-10T09:40:00Z', distance_meters: 1500 },
  ]);
});

t.test('what stands before the cut of a file is stored, and the import says so', async (t) => {
  const { done, workouts, streams } = await imported('16-fit-truncated/fit-truncated');
  t.match(done, {
    state: 'failed',
    error: 'The FIT file is cut off; what stands before was stored.',
    counts: { workouts: 1 },
  });
  const [first] = await workouts();
  t.match(outline(await streams(first?.id ?? '')), { heart_rate: [299], distance: [299, 0, 894] });
});

t.test('a day gives its heart rates and its steps', async (t) => {
  const { done, samples, steps } = await imported('05-fit-monitoring/fit-monitoring');
  t.match(done, { state: 'done', counts: { heart_rate: 11 }, skipped: [] });
  const rates = (await samples('heart_rate')).map(([, , value]) => value);
  t.same(rates, [55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 77]);
  t.same(await steps(), [500]);
});

t.test('a scale and a cuff give samples', async (t) => {
  const scale = await imported('13-fit-weight-bp/fit-weight');
  const at = '2026-11-10T08:40:00Z';
  const types = [
    'weight',
    'body_fat_percentage',
    'skeletal_muscle_mass',
    'bone_mass',
    'body_water_percentage',
  ];
  t.same(await scale.samples(...types), [
    ['body_fat_percentage', at, 22.3],
    ['body_water_percentage', at, 55.1],
    ['bone_mass', at, 3.1],
    ['skeletal_muscle_mass', at, 58.9],
    ['weight', at, 75.8],
  ]);
  const cuff = await imported('13-fit-weight-bp/fit-bp');
  t.same(await cuff.samples('blood_pressure_systolic', 'blood_pressure_diastolic', 'heart_rate'), [
    ['blood_pressure_diastolic', at, 82],
    ['blood_pressure_systolic', at, 128],
    ['heart_rate', at, 64],
  ]);
  t.same([scale.done.skipped, cuff.done.skipped], [[], []]);
});
