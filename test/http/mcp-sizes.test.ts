import t from 'tap';
import { z } from 'zod';
import type { StoreItem } from '../../domain/records/records.ts';
import { dayMs, formatInstant, hourMs, localDate, minuteMs } from '../../domain/time/time.ts';
import { mostAnswerBytes } from '../../services/api-gateway/actions/mcp/tool.ts';
import { activity, block, day, item, night, sleep, workout } from '../services/timeseries/items.ts';
import { createUser, createWearer, startApi } from '../support/api.ts';
import { callTool } from '../support/mcp.ts';
import { until } from '../support/until.ts';

/*
 * A user with a year of data: days, nights and workouts as a device maker sends them, heart rate once a minute for a week,
 * and the hourly statistics of a year at one sample a second, which are stored without their samples.
 */
const api = await startApi(t, {
  RATE_LIMIT_API_KEY: '100000',
  CHANGE_JOIN_SECONDS: '0',
  CHANGE_JOIN_HISTORICAL_SECONDS: '0',
});
const key = { key: api.apiKey };
const midnight = Date.UTC(2026, 9, 1);
const date = (daysBefore: number) => localDate(midnight - daysBefore * dayMs, 0);
const { userId: user_id } = await createWearer(api);
for (let n = 0; n < 60; n += 1)
  await createUser(api, { first_name: `User ${n}`, external_user_id: `ext-${n}` });

type Items = z.input<typeof StoreItem>[];
const store = async (items: Items) => {
  for (let from = 0; from < items.length; from += 100)
    await api.call('timeseries.store', {
      ...{ user_id, provider: 'devicemaker' as const, items: items.slice(from, from + 100) },
    });
};
const year = Array.from({ length: 365 }, (_, index) => index);
await store(
  year.flatMap((n) => {
    const start = midnight - n * dayMs;
    const totals = { steps: 8000 + n, distance_meters: 6400.5 + n, floors_climbed: 12, active_seconds: 5400 };
    const energy = { active_kcal: 512.5, moderate_seconds: 1200, vigorous_seconds: 600 };
    const stages = { deep_seconds: 5400, light_seconds: 14_000, rem_seconds: 5000, awake_seconds: 900 };
    return [
      item({ day: day(date(n), { ...totals, ...energy }) }),
      night([sleep(start - 2 * hourMs, 440, { ...stages, interruptions: 2 })]),
      activity(
        workout(start + 7 * hourMs, 20 + (n % 40), {
          ...{
            name: `Morning run number ${n} along the river`,
            calories_kcal: 312.25,
            distance_meters: 5012.75,
          },
          ...{ avg_heart_rate_bpm: 141, max_heart_rate_bpm: 172, avg_pace_sec_per_km: 322.5 },
        }),
      ),
    ];
  }),
);
for (let n = 1; n <= 7; n += 1) {
  const start = midnight - n * dayMs;
  const beats = Array.from({ length: 1440 }, (_, i) => [start + i * minuteMs, 55 + ((i * 7) % 80)] as const);
  const steps = Array.from({ length: 96 }, (_, i) => [start + i * 15 * minuteMs, (i * 37) % 900] as const);
  await store([item({ samples: [block('heart_rate', beats), block('steps', steps)] })]);
}
await store([
  item({
    samples: [
      block('weight', year.map((n) => [midnight - n * dayMs, 70 + (n % 30) / 10] as const).toReversed()),
    ],
  }),
]);
const single = [[midnight - 9 * dayMs + hourMs, 70]] as const;
await store([item({ samples: [block('heart_rate', single)] })]);
await api.database.query(
  `insert into timeseries.sample_hour (series_id, n, bucket, sum, min, max, last, last_ts, mask)
   select id, 3600, bucket, 3600 * 72.5, 48, 171, 70, bucket + interval '59 minutes', ((1::bigint << 60) - 1)
   from timeseries.series, generate_series($2::timestamptz, $3::timestamptz, '1 hour') bucket
   where user_id = $1 and type_id = 1
   on conflict (series_id, bucket) do update set n = excluded.n, sum = excluded.sum, min = excluded.min,
     max = excluded.max, mask = excluded.mask`,
  [user_id, new Date(midnight - 365 * dayMs), new Date(midnight - 8 * dayMs - hourMs)],
);
await until(
  async () =>
    (await api.database.query('select from changes.pending where due_at is not null limit 1')).length === 0,
);

const days = (first: number, last: number) => ({ user_id, start_date: date(first), end_date: date(last) });
const times = (first: number, last: number) => ({ user_id, start_time: date(first), end_time: date(last) });
const ago = (ms: number) => formatInstant(Date.now() - ms);

/** What people ask an assistant, and the calls that answer it. */
const questions: Readonly<
  Record<string, readonly (readonly [tool: string, args: Record<string, unknown>])[]>
> = {
  'Who is user 7 in our system?': [['find_users', { external_user_id: 'ext-7' }]],
  'Which users have no connection?': [['find_users', { connected: false, limit: 50 }]],
  'How many users are connected?': [['find_users', { connected: true, limit: 1 }]],
  'Is the watch still connected?': [['list_connections', { user_id }]],
  'How did the user sleep last week?': [['sleep_summaries', days(7, 1)]],
  'How did the user sleep last night?': [['sleep_summaries', days(0, 0)]],
  'Did the user nap this month?': [['list_sleep_sessions', days(30, 1)]],
  'What was the heart rate yesterday?': [['time_series', { ...times(1, 1), types: ['heart_rate'] }]],
  'What was the highest heart rate this week?': [
    ['activity_summaries', { ...days(7, 1), fields: ['heart_rate.max_bpm'] }],
  ],
  'How did the heart rate develop over the year?': [
    ['time_series', { ...times(364, 0), types: ['heart_rate'] }],
  ],
  'How many steps yesterday?': [['activity_summaries', days(1, 1)]],
  'Steps per month of this year?': [['activity_summaries', { ...days(364, 0), fields: ['steps'] }]],
  'When does the user walk most?': [
    ['time_series', { ...times(7, 1), types: ['steps'], resolution: '1hour' }],
  ],
  'The longest workout this month?': [['list_workouts', days(30, 0)]],
  'Which sports this week?': [['list_workouts', days(7, 1)]],
  'How much does the user weigh?': [['body_summary', { user_id }]],
  'How did the weight develop this year?': [['time_series', { ...times(364, 0), types: ['weight'] }]],
  'What changed in the last hour?': [['list_changes', { since: ago(hourMs), limit: 50 }]],
  'Was any workout deleted?': [['list_changes', { types: ['workout.deleted'] }]],
  'Which data does the user have, and how was last week?': [
    ['time_series', times(30, 1)],
    ['activity_summaries', days(7, 1)],
  ],
};

t.test('20 typical questions need less than 200 kB together', async (t) => {
  const sizes = [];
  for (const [question, calls] of Object.entries(questions))
    for (const [tool, args] of calls) {
      const { isError, text, http } = await callTool(api.url, tool, args, key);
      t.notOk(isError, `${question} ${text.slice(0, 200)}`);
      sizes.push({ question, bytes: Buffer.byteLength(http.text) });
    }
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  t.equal(Object.keys(questions).length, 20);
  t.ok(total < 200_000, `${total} bytes`);
  t.ok(sizes.every(({ bytes }) => bytes < 25_000));
});

const Rows = z.object({ rows: z.array(z.array(z.unknown())), next_cursor: z.string().nullable() });

t.test('an answer has less than 25 kB at the widest range, and its cursor returns the rest', async (t) => {
  for (const [tool, args] of [
    ['activity_summaries', { user_id, start_date: '1990-01-01', end_date: '2026-12-31' }],
    ['sleep_summaries', { user_id, start_date: '1990-01-01', end_date: '2026-12-31' }],
    ['list_workouts', { user_id, start_date: '1990-01-01', end_date: '2026-12-31' }],
    ['list_sleep_sessions', { user_id, start_date: '1990-01-01', end_date: '2026-12-31' }],
    ['list_changes', { user_id }],
  ] as const) {
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | null = null; pages < 40; pages += 1) {
      const answer = await callTool(api.url, tool, cursor === null ? args : { ...args, cursor }, key);
      t.ok(Buffer.byteLength(answer.http.text) < 25_000, `${tool}: ${Buffer.byteLength(answer.http.text)}`);
      const { rows, next_cursor } = Rows.parse(answer.body);
      seen.push(...rows.map((row) => JSON.stringify(row)));
      if (next_cursor === null || rows.length === 0) break;
      cursor = next_cursor;
    }
    t.ok(pages > 0, `${tool} has several pages`);
    if (tool !== 'list_changes') t.equal(seen.length, 365, tool);
    t.equal(new Set(seen).size, seen.length, `${tool} returns each row once`);
  }
});

t.test('a year at one sample a second is read from the statistics, in days', async (t) => {
  const answer = await callTool(api.url, 'time_series', { ...times(364, 9), types: ['heart_rate'] }, key);
  t.ok(Buffer.byteLength(answer.http.text) < 25_000);
  t.match(answer.body, {
    resolution: '1day',
    series: [
      {
        unit: 'bpm',
        aggregate: 'mean',
        statistics: { samples: 356 * 86_400, mean: 72.5, min: 48, max: 171 },
      },
    ],
  });
  const finer = await callTool(
    api.url,
    'time_series',
    { ...times(364, 9), types: ['heart_rate'], resolution: '1day' },
    key,
  );
  t.match(finer.body, { resolution: '1day', series: [{ rows: [[date(364), 72.5, 48, 171]] }] });
  t.ok(Buffer.byteLength(finer.http.text) < 25_000);
  const raw = await callTool(
    api.url,
    'time_series',
    { ...times(364, 9), types: ['heart_rate'], resolution: 'raw' },
    key,
  );
  t.match(
    raw.text,
    /^resolution must be 1day or coarser for this range and these types: at raw there are 30758400 values/,
  );
});

t.test('the largest answers of all tools have less than 25 kB', async (t) => {
  for (const [n, text] of ['\\"'.repeat(49), 'é'.repeat(98)].entries())
    for (let i = 0; i < 50; i += 1)
      await createUser(api, {
        first_name: text,
        last_name: text,
        external_user_id: `${'\\'.repeat(200)}${n}-${i}`,
      });
  const large = await callTool(api.url, 'find_users', { limit: 50 }, key);
  t.ok(Buffer.byteLength(large.http.text) < 25_000);
  t.match(large.text, /^limit must be at most \d+ here, because the answer would exceed 25 kB\.$/);
  const [limit] = /\d+/.exec(large.text) ?? [];
  const fitting = await callTool(api.url, 'find_users', { limit: Number(limit) }, key);
  t.ok(fitting.isError || Buffer.byteLength(fitting.http.text) < 25_000);
  const types = ['heart_rate', 'steps', 'weight'];
  for (const resolution of [undefined, 'raw', '1min', '5min', '15min', '1hour', '1day', '1week', '4weeks']) {
    const args = { ...times(3000, 0), types, ...(resolution === undefined ? {} : { resolution }) };
    const answer = await callTool(api.url, 'time_series', args, key);
    t.ok(
      Buffer.byteLength(answer.http.text) < 25_000,
      `${resolution}: ${Buffer.byteLength(answer.http.text)}`,
    );
  }
  t.ok(mostAnswerBytes < 25_000);
});
