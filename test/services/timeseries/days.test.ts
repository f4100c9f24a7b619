import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { activityDays } from '../../../services/timeseries/actions/days.ts';
import type { ActivityRow } from '../../../services/timeseries/tables/days.ts';
import { activity, at, block, day, item, workout } from './items.ts';
import { anotherUser, type Setting, setUp, unknownUser } from './setting.ts';

const { database, call, userId } = await setUp(t);

type Params = Partial<Actions['timeseries.activityDays']['params']>;

const another = () => anotherUser({ database, call });

function read(of: { userId: string }, params: Params = {}) {
  const whole = { first_date: '2026-02-01', last_date: '2026-03-31', after: null, order: 'asc' as const };
  return call('timeseries.activityDays', { user_id: of.userId, ...whole, limit: 401, ...params });
}

async function only(of: Setting) {
  const { days, devices, total } = await read(of);
  t.equal(total, days.length);
  const [found] = days;
  const [source] = found?.sources ?? [];
  if (found === undefined || source === undefined || days.length > 1 || found.sources.length > 1)
    throw new Error(`not one day of one source: ${JSON.stringify(days)}`);
  return { date: found.date, devices, ...source };
}

t.test('of two devices each value is the larger one, and heart rates are of the fuller one', async (t) => {
  const person = await another();
  const noon = at('12:00:00');
  const series = (device: string, steps: number, meters: number, beats: number[]) => [
    block(
      'steps',
      [
        [noon, steps],
        [noon + 1, 1],
      ],
      { device },
    ), // prettier-ignore
    block('distance_walking_running', [[noon, meters]], { device }),
    block('distance_cycling', [[noon, 1000]], { device }),
    block(
      'heart_rate',
      beats.map((value, index) => [noon + index, value] as const),
      { device },
    ), // prettier-ignore
  ];
  await person.store([
    item({
      samples: [...series('Band 2', 500, 300, [60, 90]), ...series('Watch 7', 400, 350, [50, 55, 63])],
    }),
    item({ samples: [block('exercise_time', [[noon, 12.5]], { device: 'Phone' })] }),
    item({ samples: [block('flights_climbed', [[noon, 3]], { device: 'Phone' })] }),
  ]);
  const { samples, devices, total, workouts } = await only(person);
  t.same([total, workouts], [null, null]);
  t.match(samples, { steps: 501, distance_meters: 1350, floors_climbed: 3, active_seconds: 750 });
  t.match(samples, { avg_bpm: 56, min_bpm: 50, max_bpm: 63, active_calories_kcal: null });
  t.equal(devices[samples?.device ?? -1], 'Band 2', 'the device is that of the steps');
});

t.test('a sample belongs to the day that its own clock showed', async (t) => {
  const person = await another();
  const late = at('23:30:00', '2026-03-01');
  for (const [offset, steps] of [
    [0, 1],
    [30, 20],
    [-1080, 300],
    [345, 4000],
  ] as const) // prettier-ignore
    await person.store([
      item({ samples: [block('steps', [[late + offset, steps]], { zone_offset_minutes: offset })] }),
    ]);
  const { days } = await read(person);
  t.same(
    days.map(({ date, sources }) => [date, sources[0]?.samples?.steps]),
    [
      ['2026-03-01', 301],
      ['2026-03-02', 4020],
    ],
  );
});

t.test(
  'records of different hours of one day are added up, of the same hours the longest that has a figure counts',
  async (t) => {
    const person = await another();
    const records = [
      day('2026-03-01', {
        start_ms: at('00:00:00'),
        duration_seconds: 36_000,
        steps: 5000,
        avg_heart_rate_bpm: 70,
      }),
      day('2026-03-01', {
        start_ms: at('02:00:00'),
        duration_seconds: 3600,
        steps: 900,
        min_heart_rate_bpm: 41,
      }),
      day('2026-03-01', {
        start_ms: at('10:00:00'),
        duration_seconds: 7200,
        steps: 700,
        max_heart_rate_bpm: 181,
      }),
    ];
    for (const record of records) await person.store([item({ day: record })]);
    const { total } = await only(person);
    t.match(total, { steps: 5700, avg_bpm: 70, min_bpm: 41, max_bpm: 181, floors_climbed: null });
  },
);

t.test('workouts count on the local day of their start, those of a provider together', async (t) => {
  const person = await another();
  const first = workout(at('22:30:00'), 60, {
    distance_meters: 5000,
    elevation_gain_meters: 20,
    steps: 6000,
  });
  const second = workout(at('06:00:00', '2026-03-02'), 30, {
    zone_offset_minutes: -420,
    moving_seconds: 1500,
    elevation_gain_meters: 30.5,
    calories_kcal: 200,
    device: 'Bike computer',
  });
  await person.store([activity(first), activity(second)]);
  const { date, workouts, devices } = await only(person);
  t.equal(date, '2026-03-01');
  t.match(workouts, { distance_meters: 5000, elevation_meters: 50.5, steps: 6000, active_seconds: 5100 });
  t.equal(workouts?.active_calories_kcal, 200);
  t.equal(devices[workouts?.device ?? -1], 'Watch 7', 'that of the longest');
});

t.test('a multisport set is its parts; what both providers tell makes one day', async (t) => {
  const person = await another();
  const ride = { type: 'cycling' as const, zone_offset_minutes: 0, distance_meters: 20_000 };
  const full = { ...ride, calories_kcal: 500, elevation_gain_meters: 200, avg_heart_rate_bpm: 130 };
  const [morning, evening] = [at('23:59:00', '2026-02-28'), at('18:00:00')];
  await person.store([
    activity(workout(morning + 120_000, 60, full)),
    activity(workout(evening, 60, ride)),
    activity(workout(evening, 90, { is_parent: true, distance_meters: 99_000 })),
  ]);
  await person.store(
    [
      activity(workout(morning, 60, ride)),
      activity(workout(evening, 60, { ...full, distance_meters: 21_000 })),
    ],
    'activitynet',
  );
  const { days, total } = await read(person);
  t.equal(total, 1, 'a duplicate counts on the day of the workout that stands for it');
  t.same(
    days.map(({ date, sources }) => [
      date,
      sources.map(({ provider, workouts }) => [
        provider,
        workouts?.distance_meters,
        workouts?.active_calories_kcal,
      ]),
    ]),
    [
      [
        '2026-03-01',
        [
          ['activitynet', 41_000, 500],
          ['devicemaker', 40_000, 500],
        ],
      ],
    ],
  );
});

t.test('a deleted workout is gone from its day, and the day with it', async (t) => {
  const person = await another();
  const stays = activity(workout(at('06:00:00'), 10, { distance_meters: 1 }));
  const goes = ['2026-03-01', '2026-03-02'].map((date) =>
    activity(workout(at('08:00:00', date), 10, { distance_meters: 10 })),
  );
  await person.store([stays, ...goes]);
  const keys = goes.map(({ key }) => key);
  await database.query('update timeseries.workout set deleted_at = now() where key = any($1)', [keys]);
  const { date, workouts } = await only(person);
  t.same([date, workouts?.distance_meters], ['2026-03-01', 1]);
});

t.test('a day is one with a total, a workout or a value that a summary shows', async (t) => {
  const person = await another();
  const noon = (date: string) => at('12:00:00', date);
  const sample = (type: Parameters<typeof block>[0], date: string) =>
    item({ samples: [block(type, [[noon(date), 60]])] });
  await person.store([
    sample('steps', '2026-02-28'),
    sample('heart_rate', '2026-03-02'),
    sample('basal_energy', '2026-03-03'),
    sample('weight', '2026-03-04'),
    item({ day: day('2026-03-05') }),
    activity(workout(noon('2026-03-06'), 10)),
    sample('energy', '2026-03-07'),
    sample('steps', '2026-03-08'),
  ]);
  const range = { first_date: '2026-03-01', last_date: '2026-03-07' };
  const { days, total } = await read(person, range);
  t.same(
    days.map(({ date }) => date),
    ['2026-03-02', '2026-03-05', '2026-03-06', '2026-03-07'],
  );
  t.equal(total, 4);
  t.same(await read({ userId }), { total: 0, devices: [], days: [] }, 'nothing of it is of another user');
  t.same(await read({ userId: unknownUser }), { total: 0, devices: [], days: [] });
});

t.test('a daily record of another date, or another start, dates what it covers anew', async (t) => {
  const noon = at('12:00:00');
  const covers = (date: string, start_ms: number) => day(date, { start_ms, duration_seconds: 6 * 3600 });
  for (const [claim, first, second] of [
    ['another date', covers('2026-03-01', noon), covers('2026-03-02', noon)],
    ['another start', covers('2026-03-02', at('18:00:00')), covers('2026-03-02', noon)],
  ] as const) {
    const person = await another();
    const datesOfSteps = async () =>
      (await read(person)).days
        .filter(({ sources }) => sources.some(({ samples }) => samples !== null))
        .map(({ date }) => date);
    await person.store([item({ samples: [block('steps', [[at('14:00:00'), 7]])] })]);
    await person.store([item({ key: 'day', day: first })]);
    t.same(await datesOfSteps(), ['2026-03-01'], claim);
    await person.store([item({ key: 'day', day: second })]);
    t.same(await datesOfSteps(), ['2026-03-02'], claim);
  }
});

t.test('a page begins behind a date in either order, and counts the whole range', async (t) => {
  const person = await another();
  const dates = ['2026-03-01', '2026-03-02', '2026-03-05', '2026-03-09', '2026-03-10'];
  await person.store(dates.map((date) => item({ day: day(date, { steps: 1 }) })));
  const page = async (params: Params) => {
    const { days, total } = await read(person, params);
    t.equal(total, 5);
    return days.map(({ date }) => date);
  };
  t.same(await page({ limit: 2 }), dates.slice(0, 2));
  t.same(await page({ limit: 2, after: '2026-03-02' }), dates.slice(2, 4));
  t.same(
    await page({ limit: 2, after: '2026-03-03' }),
    dates.slice(2, 4),
    'a day that is not there any more',
  );
  t.same(await page({ limit: 2, after: '2026-03-10' }), []);
  t.same(await page({ limit: 2, order: 'desc' }), ['2026-03-10', '2026-03-09']);
  t.same(await page({ limit: 9, order: 'desc', after: '2026-03-09' }), dates.slice(0, 3).toReversed());
  t.same(await page({ limit: 1, last_date: '9999-12-31' }), ['2026-03-01']);
});

t.test('an answer fits the bus, whatever devices are called', async (t) => {
  const figure = 12_345.678_912_345_67;
  const row: Omit<ActivityRow, 'date' | 'provider' | 'kind' | 'device'> = {
    start_ms: 0,
    covered_seconds: 86_400,
    steps: figure,
    distance_meters: figure,
    floors_climbed: figure,
    elevation_meters: figure,
    active_seconds: figure,
    moderate_seconds: figure,
    vigorous_seconds: figure,
    active_calories_kcal: figure,
    basal_calories_kcal: figure,
    beats: figure,
    avg_bpm: figure,
    min_bpm: figure,
    max_bpm: figure,
  };
  const rows = Array.from({ length: 401 }, (_, index) =>
    new Date(index * 86_400_000).toISOString().slice(0, 10),
  )
    .flatMap((date) => ['activitynet', 'devicemaker'].map((provider) => ({ date, provider })))
    .flatMap((one) => (['total', 'samples', 'workouts'] as const).map((kind) => ({ ...one, kind })))
    .map((one, index): ActivityRow => ({ ...row, ...one, device: `${index % 300}`.padEnd(100, '表') }));
  const answer = activityDays({ total: 401, rows, sedentary: [] });
  t.equal(answer.days.length, 401);
  t.ok(Buffer.byteLength(JSON.stringify(answer)) < 900_000);
});
