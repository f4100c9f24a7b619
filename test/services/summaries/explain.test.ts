import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { ExplainedActivitySummary } from '../../../contracts/summaries/schemas.ts';
import { pageOf } from '../../../domain/page.ts';
import { createUser, createWearer, push, startApi, userToken } from '../../support/api.ts';
import { activity, at, block, day, item, workout } from '../timeseries/items.ts';

const api = await startApi(t, {
  PROVIDER_NAMES: 'activitynet=Platform',
  SOURCE_PRIORITY: 'devicemaker,activitynet',
});
const Page = pageOf(ExplainedActivitySummary);
const range = 'start_date=2026-03-01&end_date=2026-03-01';
const watch = { provider: 'devicemaker', device: 'Watch 7' };
const band = { provider: 'devicemaker', device: 'Band 2' };
const bike = { provider: 'Platform', device: 'Bike computer' };

type Item = Parameters<typeof api.call<'timeseries.store'>>[1]['items'][number];

async function store(userId: string, items: Item[], provider: 'devicemaker' | 'activitynet' = 'devicemaker') {
  await api.call('timeseries.store', { user_id: userId, provider, items });
}

async function explained(userId: string) {
  const { data } = Page.parse(
    await api.expect(200, `/users/${userId}/summaries/activity?${range}&explain=true`),
  );
  const [first] = data;
  if (first?.explanation === undefined || data.length > 1) throw new Error('not one explained day');
  return { ...first, explanation: first.explanation };
}

t.test('each source of a field has its value, its share and the rule that chose it', async (t) => {
  const userId = await createUser(api);
  const noon = at('12:00:00');
  const ride = { zone_offset_minutes: 0, device: 'Watch 7', distance_meters: 3000, steps: 50 };
  await store(userId, [
    item({ day: day('2026-03-01', { steps: 9000, min_heart_rate_bpm: 41, avg_heart_rate_bpm: 70 }) }),
    item({
      samples: [
        block('steps', [[noon, 9500]], { device: 'Band 2' }),
        block('steps', [[noon, 8000]]),
        block('distance_walking_running', [[noon, 900.5]]),
        block('distance_walking_running', [[noon, 700]], { device: 'Band 2' }),
        block(
          'heart_rate',
          [
            [noon, 60],
            [noon + 1, 80],
          ],
          { device: 'Band 2' },
        ),
        block('heart_rate', [[noon, 95]]),
      ],
    }),
    activity(workout(noon, 60, { ...ride, elevation_gain_meters: 30 })),
  ]);
  const { explanation, ...summary } = await explained(userId);
  t.match(summary, { steps: 9000, distance_meters: 900.5, elevation_meters: 30 });
  t.same(explanation.steps, [
    { source: watch, value: 9000, origin: 'day_total', share: 1, rule: 'precedence' },
    { source: band, value: 9500, origin: 'samples', share: 0, rule: 'precedence' },
    { source: watch, value: 8000, origin: 'samples', share: 0, rule: 'precedence' },
    { source: watch, value: 50, origin: 'workouts', share: 0, rule: 'precedence' },
  ]);
  t.same(explanation.distance_meters, [
    { source: band, value: 700, origin: 'samples', share: 0, rule: 'largest_device' },
    { source: watch, value: 900.5, origin: 'samples', share: 1, rule: 'precedence' },
    { source: watch, value: 3000, origin: 'workouts', share: 0, rule: 'precedence' },
  ]);
  t.same(explanation.elevation_meters, [
    { source: watch, value: 30, origin: 'workouts', share: 1, rule: 'only_value' },
  ]);
  const wanted = {
    'heart_rate.avg_bpm': [
      { source: band, value: 70, origin: 'samples', share: 1, rule: 'precedence' },
      { source: watch, value: 95, origin: 'samples', share: 0, rule: 'fullest_device' },
      { source: watch, value: 70, origin: 'day_total', share: 0, rule: 'precedence' },
    ],
    'heart_rate.max_bpm': [
      { source: band, value: 80, origin: 'samples', share: 1, rule: 'fullest_device' },
      { source: watch, value: 95, origin: 'samples', share: 0, rule: 'fullest_device' },
    ],
    'heart_rate.min_bpm': [
      { source: watch, value: 41, origin: 'day_total', share: 1, rule: 'precedence' },
      { source: band, value: 60, origin: 'samples', share: 0, rule: 'precedence' },
      { source: watch, value: 95, origin: 'samples', share: 0, rule: 'precedence' },
    ],
    floors_climbed: [],
    'intensity_minutes.light': [],
    'intensity_minutes.moderate': [],
  };
  t.match(explanation, wanted);
  for (const [field, sources] of Object.entries(wanted))
    t.equal(Reflect.get(explanation, field).length, sources.length, field);
});

t.test('two providers: the largest value or the first by priority', async (t) => {
  const userId = await createUser(api);
  const noon = at('12:00:00');
  const totals = { steps: 100, active_calories_kcal: 300, basal_calories_kcal: 1500 };
  const record = day('2026-03-01', { ...totals, active_seconds: 1830, max_heart_rate_bpm: 150 });
  await store(userId, [item({ day: record })]);
  const bikeBlocks = [
    block('steps', [[noon, 400]], { device: 'Bike computer' }),
    block('heart_rate', [[noon, 180]], { device: 'Bike computer' }),
  ];
  await store(userId, [item({ data_type: 'activities', samples: bikeBlocks })], 'activitynet');
  const { explanation } = await explained(userId);
  t.same(explanation.steps, [
    { source: watch, value: 100, origin: 'day_total', share: 0, rule: 'largest' },
    { source: bike, value: 400, origin: 'samples', share: 1, rule: 'largest' },
  ]);
  t.same(explanation['heart_rate.max_bpm'], [
    { source: watch, value: 150, origin: 'day_total', share: 1, rule: 'priority' },
    { source: bike, value: 180, origin: 'samples', share: 0, rule: 'priority' },
  ]);
  t.same(explanation.total_calories_kcal, [
    { source: watch, value: 1800, origin: 'computed', share: 1, rule: 'active_plus_basal' },
  ]);
  t.same(explanation.active_minutes, [
    { source: watch, value: 30.5, origin: 'day_total', share: 1, rule: 'only_value' },
  ]);
  t.same(explanation['intensity_minutes.light'], [], 'nobody tells the two others');
});

t.test('each part of a sum has its share', async (t) => {
  const userId = await createUser(api);
  const part = (hour: number, hours: number, fields: Parameters<typeof day>[1]) => {
    const start_ms = at(`0${hour}:00:00`);
    const record = day('2026-03-01', { start_ms, duration_seconds: hours * 3600, ...fields });
    return item({ key: `${hour}`, duration_seconds: hours * 3600, day: record });
  };
  const seconds = { active_seconds: 3600, moderate_seconds: 600, vigorous_seconds: 60 };
  await store(userId, [
    part(0, 3, { steps: 100, distance_meters: 800, max_heart_rate_bpm: 120, ...seconds }),
    part(4, 2, { steps: 300, max_heart_rate_bpm: 150, device: 'Band 2' }),
    part(1, 1, {
      ...{ steps: 40, distance_meters: 90, floors_climbed: 3, max_heart_rate_bpm: 170 },
      device: 'Band 2',
    }),
  ]);
  const { explanation, ...summary } = await explained(userId);
  t.match(summary, { steps: 400, floors_climbed: 3, intensity_minutes: { light: 49 } });
  t.same(explanation.steps, [
    { source: watch, value: 100, origin: 'day_total', share: 0.25, rule: 'sum' },
    { source: band, value: 300, origin: 'day_total', share: 0.75, rule: 'sum' },
    { source: band, value: 40, origin: 'day_total', share: 0, rule: 'longest_record' },
  ]);
  t.same(explanation.distance_meters, [
    { source: watch, value: 800, origin: 'day_total', share: 1, rule: 'longest_record' },
    { source: band, value: 90, origin: 'day_total', share: 0, rule: 'longest_record' },
  ]);
  t.same(explanation.floors_climbed, [
    { source: band, value: 3, origin: 'day_total', share: 1, rule: 'only_value' },
  ]);
  t.same(
    explanation['heart_rate.max_bpm'].map(({ value, share }) => [value, share]),
    [
      [120, 0],
      [150, 1],
      [170, 0],
    ],
  );
  t.same(explanation['intensity_minutes.light'], [
    { source: watch, value: null, origin: 'computed', share: null, rule: 'remainder' },
  ]);
});

t.test('epochs explain the sedentary minutes', async (t) => {
  const { userId, account } = await createWearer(api);
  const start = at('12:00:00') / 1000;
  const epoch = {
    userId: account,
    activityType: 'SEDENTARY',
    startTimeInSeconds: start,
    durationInSeconds: 900,
  };
  const more = { startTimeOffsetInSeconds: 0, activeTimeInSeconds: 750, intensity: 'SEDENTARY', steps: 0 };
  await push(api, { epochs: [{ ...epoch, ...more }] });
  const { explanation, sedentary_minutes } = await explained(userId);
  t.equal(sedentary_minutes, 12);
  t.match(explanation.sedentary_minutes, [{ value: 12.5, origin: 'epochs', share: 1, rule: 'only_value' }]);
});

t.test("an explanation holds the user's own sources only, and their own token reads it", async (t) => {
  const [one, other] = [await createUser(api), await createUser(api)];
  await store(one, [item({ day: day('2026-03-01', { steps: 1 }) })]);
  await store(other, [item({ day: day('2026-03-01', { steps: 2, device: 'Band 2', floors_climbed: 4 }) })]);
  await store(other, [item({ day: day('2026-03-01', { steps: 3 }) })], 'activitynet');
  const token = await userToken(api, one);
  const path = `/api/v1/users/${one}/summaries/activity?${range}&explain=true`;
  const { data } = Page.parse((await api.ask(path, { token })).body);
  t.same(data[0]?.explanation?.steps, [
    { source: watch, value: 1, origin: 'day_total', share: 1, rule: 'only_value' },
  ]);
  t.same(data[0]?.explanation?.floors_climbed, []);
  t.equal((await api.ask(path.replace(one, other), { token })).status, 403);
});

t.test('explain is true or false; without it, or with false, the answer is the same', async (t) => {
  const userId = await createUser(api);
  await store(userId, [item({ day: day('2026-03-01', { steps: 1 }) })]);
  const path = `/users/${userId}/summaries/activity?${range}`;
  const plain = await api.expect(200, path);
  t.same(await api.expect(200, `${path}&explain=false`), plain);
  const { data } = z.object({ data: z.array(z.looseObject({})) }).parse(plain);
  t.notOk('explanation' in (data[0] ?? {}));
  for (const value of ['', '1', 'yes', 'TRUE', 'true&explain=true'])
    t.match(await api.expect(422, `${path}&explain=${value}`), { errors: [{ field: 'explain' }] }, value);
  t.match(await api.expect(422, `${path}&explian=true`), { errors: [{ field: 'explian' }] });
});

t.test('a page of more days than one read of parts is complete in both orders', async (t) => {
  const userId = await createUser(api);
  const first = Date.UTC(2025, 0, 1);
  const dates = Array.from({ length: 230 }, (_, index) =>
    new Date(first + index * 86_400_000).toISOString().slice(0, 10),
  );
  await store(
    userId,
    dates.map((date, steps) => item({ day: day(date, { steps }) })),
  );
  for (const order of ['asc', 'desc'])
    for (const limit of [400, 230, 200, 100]) {
      const query = `start_date=2025-01-01&end_date=2025-12-31&limit=${limit}&sort_order=${order}`;
      const path = `/users/${userId}/summaries/activity?${query}`;
      const plain = Page.parse(await api.expect(200, path));
      const { data, pagination } = Page.parse(await api.expect(200, `${path}&explain=true`));
      t.same(
        data.map(({ explanation: _, ...day }) => day),
        plain.data,
      );
      t.same(pagination, plain.pagination);
      t.ok(data.every(({ steps, explanation }) => explanation?.steps[0]?.value === steps));
    }
});

t.test('a day is never 0 where somebody counted, and each source is named', async (t) => {
  const file = join(import.meta.dirname, '../../fixtures/cases/data/activity-summary-zero.json');
  const Parts = z.array(z.tuple([z.string(), z.looseObject({})]));
  const parts = Parts.parse(JSON.parse(readFileSync(file, 'utf8')));
  const dates = 'start_date=2026-03-10&end_date=2026-03-10&explain=true';
  for (const order of [parts, parts.toReversed()]) {
    const { userId, account } = await createWearer(api);
    for (const [type, own] of order) await push(api, { [type]: [{ ...own, userId: account }] });
    const { data } = Page.parse(await api.expect(200, `/users/${userId}/summaries/activity?${dates}`));
    t.match(data, [{ steps: 17_770 }]);
    const { steps = [], distance_meters = [] } = data[0]?.explanation ?? {};
    t.same(steps.map(({ value, share, origin }) => [value, share, origin]).sort(), [
      [17_770, 1, 'day_total'],
      [402, 0, 'intervals'],
    ]);
    // The longer record of the day has no steps: it is named where it has a value.
    t.ok(distance_meters.some(({ value }) => value === 6875.31));
  }
});
