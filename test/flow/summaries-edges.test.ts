import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { BodySummary } from '../../contracts/summaries/schemas.ts';
import { dayMs, formatInstant, localDate, minuteMs } from '../../domain/time/time.ts';
import timeseries from '../../services/timeseries/timeseries.service.ts';
import { activity, block, day, item, night, sleep, workout } from '../services/timeseries/items.ts';
import { createUser, joinApi, startApi, type TestApi } from '../support/api.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const api = await startApi(t, {
  RATE_LIMIT_API_KEY: '100000',
  PROVIDER_NAMES: 'devicemaker=Wearables',
  SOURCE_PRIORITY: 'activitynet,devicemaker',
});
const Page = z.object({
  data: z.array(z.object({ date: z.string() })),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
  metadata: z.object({ start_time: z.string(), end_time: z.string() }),
});

type Item = ReturnType<typeof item>;

async function store(
  on: TestApi,
  userId: string,
  items: Item[],
  provider: 'devicemaker' | 'activitynet' = 'devicemaker',
) {
  await on.call('timeseries.store', { user_id: userId, provider, items });
}

const user = await createUser(api);
const dates = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-05'];
await store(
  api,
  user,
  dates.map((date) => item({ day: day(date, { steps: 1 }) })),
);
await store(
  api,
  user,
  dates.map((date) => night([sleep(Date.parse(`${date}T01:00:00Z`), 60, { date })])),
);

const path = (kind: string, query: string, of: string = user) => `/users/${of}/summaries/${kind}?${query}`;
const range = 'start_date=2026-03-01&end_date=2026-03-31';

async function datesOf(kind: string, query: string): Promise<string[]> {
  const { data } = Page.parse(await api.expect(200, path(kind, query)));
  return data.map(({ date }) => date);
}

const refused: [kind: string, query: string, field: string][] = [
  ['sleep', 'start_date=2026-03-02T00:00Z&end_date=2026-03-02T00:00Z', 'start_date'],
  ['activity', `${range}&limit=401`, 'limit'],
  ['sleep', `${range}&limit=101`, 'limit'],
  ['recovery', `${range}&limit=101`, 'limit'],
  ['body', 'average_period=8', 'average_period'],
  ['body', 'average_period=0', 'average_period'],
  ['body', 'latest_window_hours=25', 'latest_window_hours'],
];

t.test('an empty range and values beyond their bounds are 422 and named', async (t) => {
  const offenders: string[] = [];
  for (const [kind, query, field] of refused) {
    const body = await api.expect(422, path(kind, query));
    const named = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(body).errors[0]?.field;
    if (named !== field) offenders.push(`${query}: ${named}`);
  }
  t.strictSame(offenders, []);
});

t.test('the maximum values of parameters are accepted', async (t) => {
  t.same(await datesOf('activity', `${range}&limit=400`), dates);
  t.same(await datesOf('sleep', `${range}&limit=100`), dates);
  for (const query of [
    'average_period=1&latest_window_hours=1',
    'average_period=7&latest_window_hours=24',
    '',
  ])
    await api.expect(200, path('body', query));
});

t.test('an unknown user is 404; a user without data has empty pages and no body', async (t) => {
  const [stranger, newcomer] = [randomUUID(), await createUser(api)];
  for (const kind of ['activity', 'sleep', 'body', 'recovery'])
    await api.expect(404, path(kind, range, stranger));
  for (const kind of ['activity', 'sleep', 'recovery'])
    t.match(await api.expect(200, path(kind, range, newcomer)), {
      data: [],
      pagination: { next_cursor: null, previous_cursor: null, has_more: false, total_count: 0 },
    });
  const { status, text, headers } = await api.ask(`/api/v1${path('body', '', newcomer)}`, {
    key: api.apiKey,
  });
  t.same([status, text], [200, 'null\n']);
  t.match(headers.get('content-type'), /json/);
});

t.test('a range of dates selects local days; instants select the UTC dates that they touch', async (t) => {
  for (const kind of ['activity', 'sleep']) {
    t.same(await datesOf(kind, 'start_date=2026-03-02&end_date=2026-03-03'), dates.slice(1, 3));
    t.same(await datesOf(kind, 'start_date=2026-03-02&end_date=2026-03-02'), dates.slice(1, 2));
    t.same(await datesOf(kind, 'start_date=2026-03-02T00:00Z&end_date=2026-03-03T00:00Z'), dates.slice(1, 2));
    t.same(await datesOf(kind, 'start_date=2026-03-01T23:59Z&end_date=2026-03-03T00:01Z'), dates.slice(0, 3));
    t.same(
      await datesOf(kind, `start_date=${Date.UTC(2026, 2, 3) / 1000}&end_date=2026-03-09`),
      dates.slice(2),
    );
    t.same(await datesOf(kind, 'start_date=1970-01-01&end_date=9999-12-31'), dates);
  }
  const page = await api.expect(
    200,
    path('activity', 'start_date=2026-03-02T13:00Z&end_date=2026-03-05T01:00Z'),
  );
  t.match(Page.parse(page).metadata, {
    start_time: '2026-03-02T00:00:00Z',
    end_time: '2026-03-06T00:00:00Z',
  });
});

t.test('the last day of the calendar ends every list', async (t) => {
  const end = 'start_date=2026-03-01&end_date=9999-12-31';
  for (const list of ['summaries/activity', 'summaries/sleep', 'events/workouts', 'events/sleep']) {
    const page = Page.omit({ data: true }).parse(await api.expect(200, `/users/${user}/${list}?${end}`));
    t.equal(page.metadata.end_time, '9999-12-31T23:59:59.999Z', list);
  }
});

t.test('a cursor belongs to its list, range and order; the limit may change', async (t) => {
  const first = Page.parse(await api.expect(200, path('activity', `${range}&limit=1`)));
  const cursor = `&cursor=${first.pagination.next_cursor}`;
  t.same(await datesOf('activity', `${range}&limit=3${cursor}`), dates.slice(1));
  await api.expect(422, path('activity', `${range}&sort_order=desc${cursor}`));
  await api.expect(422, path('activity', `start_date=2026-03-01&end_date=2026-03-30${cursor}`));
  await api.expect(422, path('sleep', `${range}${cursor}`));
  await api.expect(422, path('activity', `${range}${cursor}`, await createUser(api)));
});

t.test('pages neither repeat nor omit a day while data arrives', async (t) => {
  const writer = await createUser(api);
  const days = Array.from({ length: 12 }, (_, index) => localDate(Date.UTC(2026, 3, 1 + index * 2), 0));
  await store(
    api,
    writer,
    days.map((date) => item({ day: day(date, { steps: 1 }) })),
  );
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `start_date=2026-03-01&end_date=2026-05-30&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = Page.parse(await api.expect(200, path('activity', query, writer)));
    seen.push(...page.data.map(({ date }) => date));
    cursor = page.pagination.next_cursor;
    const before = localDate(Date.parse(seen[0] ?? '') - dayMs * seen.length, 0);
    await store(api, writer, [
      item({ day: day(before) }),
      item({ day: day(seen.at(-1) ?? '', { floors_climbed: 1 }) }),
    ]);
  }
  t.same(seen, days);
});

t.test('SOURCE_PRIORITY and PROVIDER_NAMES apply', async (t) => {
  const person = await createUser(api);
  const at = Date.UTC(2026, 2, 7, 12);
  await store(api, person, [item({ day: day('2026-03-07', { steps: 5, max_heart_rate_bpm: 190 }) })]);
  await store(api, person, [item({ samples: [block('heart_rate', [[at, 100]])] })], 'activitynet'); // prettier-ignore
  t.match(await api.expect(200, path('activity', range, person)), {
    data: [
      {
        source: { provider: 'Wearables', device: 'Watch 7' },
        steps: 5,
        heart_rate: { avg_bpm: 100, max_bpm: 100, min_bpm: 100 },
      },
    ],
  });
});

t.test('the body summary of a user at local noon', async (t) => {
  const person = await createUser(api);
  const nowMs = Date.now();
  const minutes = (12 - new Date(nowMs).getUTCHours()) * 60;
  const clock = { zone_offset_minutes: minutes };
  const daysAgo = (days: number) => nowMs - days * dayMs;
  const resting = [0, 1, 2, 3].map((days) => [daysAgo(days), 50 + days * 4] as const).toReversed();
  const halfHourAgo = nowMs - 30 * minuteMs;
  await store(api, person, [
    item({ samples: [block('resting_heart_rate', resting, clock)] }),
    item({ samples: [block('weight', [[daysAgo(500), 82.5]], { ...clock, device: 'Scale' })] }),
    item({ samples: [block('blood_pressure_systolic', [[halfHourAgo, 125]], clock)] }),
    item({ samples: [block('blood_pressure_diastolic', [[halfHourAgo, 82]], clock)] }),
    item({ samples: [block('body_temperature', [[nowMs - 90 * minuteMs, 36.6]], clock)] }),
  ]);
  const read = async (query: string) => BodySummary.parse(await api.expect(200, path('body', query, person)));
  const midnight = Date.parse(`${localDate(nowMs, minutes)}T00:00:00Z`) - minutes * minuteMs;
  t.same(await read('average_period=3&latest_window_hours=1'), {
    source: { provider: 'Wearables', device: 'Watch 7' },
    slow_changing: {
      weight_kg: 82.5,
      height_cm: null,
      body_fat_percent: null,
      muscle_mass_kg: null,
      bmi: null,
      age: null,
    },
    averaged: {
      period_days: 3,
      resting_heart_rate_bpm: 54,
      avg_hrv_sdnn_ms: null,
      period_start: formatInstant(midnight - 2 * dayMs),
      period_end: formatInstant(midnight + dayMs),
    },
    latest: {
      body_temperature_celsius: null,
      body_temperature_measured_at: null,
      skin_temperature_celsius: null,
      skin_temperature_measured_at: null,
      blood_pressure: {
        avg_systolic_mmhg: 125,
        avg_diastolic_mmhg: 82,
        max_systolic_mmhg: 125,
        max_diastolic_mmhg: 82,
        min_systolic_mmhg: 125,
        min_diastolic_mmhg: 82,
        reading_count: 1,
      },
      blood_pressure_measured_at: formatInstant(halfHourAgo),
    },
  });
  t.match(await read(''), {
    averaged: { period_days: 7, resting_heart_rate_bpm: 56 },
    latest: { body_temperature_celsius: 36.6 },
  });
});

t.test('a year of summaries crosses the bus between two processes', async (t) => {
  const database = await freshDatabase(t);
  const bus = { natsUrl: natsUrl(), namespace: `summaries-${randomUUID()}` };
  await startBroker(t, { databaseUrl: database.url, services: [timeseries], ...bus });
  const services = ['api-gateway', 'auth', 'users', 'summaries', 'insights'];
  const near = await joinApi(t, { database, settings: {}, services, ...bus });
  const person = await createUser(near);
  const year = Array.from({ length: 365 }, (_, index) => Date.UTC(2025, 0, 1 + index));
  await store(
    near,
    person,
    year.map((ms) => item({ day: day(localDate(ms, 0), { steps: 9000, floors_climbed: 3 }) })),
  );
  await store(
    near,
    person,
    year.slice(0, 100).map((ms) => activity(workout(ms, 30))),
  );
  const query = 'start_date=2025-01-01&end_date=2025-12-31&limit=400';
  const { data, pagination } = Page.parse(await near.expect(200, path('activity', query, person)));
  t.same([data.length, pagination], [365, { next_cursor: null, total_count: 365 }]);
  await near.expect(404, path('activity', query, randomUUID()));
  t.same(Page.parse(await near.expect(200, path('recovery', range, person))).data, []);
});
