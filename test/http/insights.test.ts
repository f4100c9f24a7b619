import t from 'tap';
import { z } from 'zod';
import { dateAfter } from '../../domain/insights/day-results.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { insightsService } from '../../services/insights/insights.service.ts';
import { randomFrom } from '../services/freshness/random.ts';
import { firstDate, itemsOfDay, runItems } from '../services/insights/setting.ts';
import { at, block, item, score } from '../services/timeseries/items.ts';
import { createUser, joinApi } from '../support/api.ts';
import { memberToken } from '../support/members.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';
import { as, makeProject } from './projects/two-projects.ts';

const api = await joinApi(t, {
  database: await freshDatabase(t),
  settings: { CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0', RATE_LIMIT_API_KEY: '100000' },
  instead: [
    insightsService({
      ...{ followMs: 50, settleMs: 20, firstMs: 0, pollMs: 20 },
      now: () => Date.parse('2026-07-01T12:00:00Z'),
    }),
  ],
});
await makeProject(api, 'other');

const Measure = z.looseObject({ measure: z.string(), value: z.number().nullable() });
const Page = z.object({
  data: z.array(z.looseObject({ date: z.string(), measures: z.array(Measure).optional() })),
  pagination: z.looseObject({ next_cursor: z.string().nullable(), total_count: z.int() }),
});
const range = `start_date=${firstDate}&end_date=${dateAfter(firstDate, 29)}`;
const read = async (id: string, path: string, query = range) =>
  Page.parse(await api.expect(200, `/users/${id}/${path}?${query}`));

const userId = await createUser(api);
const store = (user_id: string, items: ReturnType<typeof item>[]) =>
  api.call('timeseries.store', { user_id, provider: 'devicemaker', items });
const random = randomFrom(7);
for (let index = 0; index < 30; index += 1) await store(userId, itemsOfDay(index, random));
await store(userId, [
  item({
    data_type: 'readiness',
    key: 'r',
    scores: [score(dateAfter(firstDate, 29), { kind: 'readiness' })],
  }),
  ...[28, 29].map((index) => {
    const solid = score(dateAfter(firstDate, index), { kind: 'resilience', value: null, label: 'solid' });
    return item({ data_type: 'resilience', key: `r ${index}`, scores: [solid] });
  }),
]);

t.test('days are computed in the background, and events report them', async (t) => {
  const count = 'select from insights.day where user_id = $1 and training is not null';
  await until(async () => (await api.database.query(count, [userId])).length === 30);
  const late = 29;
  await store(userId, runItems(late, random, 160));
  await until(async () => {
    const { data } = await api.call('webhooks.changes', { user_id: userId, types: ['insight.updated'] });
    return data.some((one) => one.data.date === dateAfter(firstDate, late));
  });
  const { data, pagination } = await read(userId, 'insights');
  t.equal(data.length, 30);
  t.equal(pagination.total_count, 30);
  t.match(data.at(-1), {
    sleep_score: {
      components: { duration: Number },
      method: { name: 'sleep_score', page: 'docs/insights/sleep-score.md' },
    },
    resilience: { nights: 7, confidence: 1, reason: null },
    weekly_activity: { is_reached: Boolean },
    peak_cadence: { value: null, reason: 'too_little_coverage' },
  });
});

t.test('lists have pages and both orders', async (t) => {
  for (const path of ['baselines', 'insights', 'training']) {
    const first = await read(userId, path, `${range}&limit=20`);
    const rest = await read(userId, path, `${range}&limit=20&cursor=${first.pagination.next_cursor}`);
    t.same([first.data.length, rest.data.length], [20, 10]);
    const newest = await read(userId, path, `${range}&sort_order=desc&limit=1`);
    t.same(newest.data[0]?.date, dateAfter(firstDate, 29));
    await api.expect(
      422,
      `/users/${userId}/${path}?${range}&limit=1&cursor=${first.pagination.next_cursor}x`,
    );
  }
  await api.expect(422, `/users/${userId}/baselines?${range}&window=29`);
  await api.expect(422, `/users/${userId}/training?${range}&sex=none`);
});

t.test('a baseline has its window, and explains its inputs', async (t) => {
  const last = `start_date=${dateAfter(firstDate, 29)}&end_date=${dateAfter(firstDate, 29)}&explain=true`;
  for (const [window, days] of [
    [28, 28],
    [60, 29],
  ] as const) {
    const { data } = await read(userId, 'baselines', `${last}&window=${window}`);
    const resting = data[0]?.measures?.find(({ measure }) => measure === 'resting_heart_rate');
    t.match(resting, { days, confidence: days / window, reason: null });
    t.match(data[0], {
      window_days: window,
      inputs: [{ measure: 'resting_heart_rate', days: days + 1, source: { provider: 'devicemaker' } }],
    });
  }
});

t.test('training names the sex of the weights, or has no impulse of Banister', async (t) => {
  const day = `start_date=${dateAfter(firstDate, 27)}&end_date=${dateAfter(firstDate, 27)}`;
  const [none, female, male] = await Promise.all(
    ['', '&sex=female', '&sex=male'].map((sex) => read(userId, 'training', day + sex)),
  );
  t.match(none?.data, [
    { workouts: 1, banister: { value: null, reason: 'no_sex' }, edwards: { value: Number } },
  ]);
  t.match(female?.data, [{ banister: { value: Number, reason: null } }]);
  t.not(JSON.stringify(female?.data), JSON.stringify(male?.data));
  t.match(none?.data, [
    { load: { chronic: null, reason: 'too_few_days' }, acute_chronic_ratio: { value: Number } },
  ]);
});

t.test('a recovery has deviations of the night and the scores of providers', async (t) => {
  const { data } = await read(userId, 'summaries/recovery', `${range}&explain=true`);
  t.equal(data.length, 30);
  const last = data.at(-1);
  t.match(last, {
    source: { provider: 'devicemaker', device: 'Watch 7' },
    scores: [{ kind: 'readiness', value: 70 }],
    methods: [{ name: 'baseline' }, { name: 'deviation' }],
  });
  t.same(
    last?.measures?.map(({ measure }) => measure),
    ['resting_heart_rate', 'hrv_rmssd', 'sleep_duration'],
  );
  t.notOk(JSON.stringify(await read(userId, 'summaries/recovery')).includes('"inputs"'));
});

const Scores = z.object({
  data: z.array(z.looseObject({ date: z.string(), kind: z.string() })),
  pagination: z.looseObject({ next_cursor: z.string().nullable() }),
  computed: z.array(z.looseObject({ date: z.string() })).optional(),
});
const scores = async (query: string) =>
  Scores.parse(await api.expect(200, `/users/${userId}/scores?${range}${query}`));

t.test('scores of a category are those of providers, and beside them the computed ones', async (t) => {
  const { data: days } = await read(userId, 'insights', `${range}&sort_order=desc`);
  const ofSleep = await scores('&category=sleep');
  t.same(ofSleep.data, [], 'no provider has scored a sleep');
  t.same(
    ofSleep.computed,
    days.map(({ date, sleep_score }) => ({ date, ...Object(sleep_score) })),
  );
  const { data, computed, pagination } = await scores('&category=resilience&limit=1');
  t.match(data, [{ kind: 'resilience', value: null, label: 'solid', date: dateAfter(firstDate, 29) }]);
  t.match(computed?.[0], {
    ...{ date: dateAfter(firstDate, 29), value: Number, components: { mean_ms: Number, nights: 7 } },
    ...{ confidence: 1, reason: null, method: { name: 'hrv_stability', version: 2 } },
  });
  t.match(computed?.at(-1), { date: firstDate, value: null, components: null, reason: 'too_few_nights' });
  const rest = await scores(`&category=resilience&limit=1&cursor=${pagination.next_cursor}`);
  t.equal(rest.data.length, 1);
  t.notOk('computed' in rest, 'only the first page has them');
  const all = await scores('');
  t.same([all.data.length, 'computed' in all], [3, false]);
  await api.expect(422, `/users/${userId}/scores?${range}&category=readiness`);
});

t.test('glucose of two weeks is reported', async (t) => {
  const id = await createUser(api);
  const quarters = Array.from({ length: 14 * 96 }, (_, index): [number, number] => [
    at('00:00:00', '2026-03-01') + index * 15 * minuteMs,
    [60, 90, 110, 130, 150, 185, 260, 100][index % 8] ?? 0,
  ]);
  const empty = await api.expect(200, `/users/${id}/glucose?end_date=2026-03-14`);
  t.match(empty, { values: 0, source: null, mean_mg_per_dl: null, reason: 'too_little_coverage' });
  await store(id, [item({ samples: [block('blood_glucose', quarters)] })]);
  t.match(await api.expect(200, `/users/${id}/glucose?end_date=2026-03-14`), {
    ...{ start_date: '2026-03-01', values: 1344, mean_mg_per_dl: 135.625, confidence: 1 },
    ...{ from_70_to_180_percent: 62.5, source: { device: 'Watch 7' }, hours: { length: 24 } },
  });
  for (const date of ['1970-01-01', '9999-12-31'])
    t.match(await api.expect(200, `/users/${id}/glucose?end_date=${date}`), { values: 0 });
  t.match(await api.expect(200, `/users/${id}/glucose?end_date=2026-03-20`), {
    values: 768,
    reason: 'too_little_coverage',
  });
});

t.test('a user of another project does not exist, and an unknown one neither', async (t) => {
  const other = { token: await memberToken(api, 'admin', 'other'), headers: { 'x-project': 'other' } };
  for (const path of ['baselines', 'insights', 'training', 'summaries/recovery']) {
    t.match(await as(api, other, 404, `/users/${userId}/${path}?${range}`), { detail: /\w/ });
    await api.expect(404, `/users/00000000-0000-4000-8000-000000000000/${path}?${range}`);
  }
  await as(api, other, 404, `/users/${userId}/glucose?end_date=2026-03-14`);
});

t.test('other users have other values, and a deletion leaves nothing of one', async (t) => {
  const id = await createUser(api);
  await store(id, itemsOfDay(0, randomFrom(70)));
  t.equal((await read(id, 'insights')).data.length, 1);
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  for (const table of ['day', 'computed'])
    await until(
      async () =>
        (await api.database.query(`select from insights.${table} where user_id = $1`, [userId])).length === 0,
    );
  t.equal((await read(id, 'insights')).data.length, 1, 'others keep theirs');
  await api.expect(404, `/users/${userId}/insights?${range}`);
});
