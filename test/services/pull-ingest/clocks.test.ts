import { createServer } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { dayMs, hourMs, isoTime, localDate, localTime } from '../../../domain/time/time.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { createUser, joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { fast } from './setting.ts';

/** What the provider answers, by path. Anything else is an empty list. */
const answers = new Map<string, unknown>();

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answers.get(path) ?? (path.startsWith('/v2/') ? { records: [] } : emptyPolar)));
});
const emptyPolar = { available: [], recharges: [], heart_rates: [] };
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => server.close());
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

const api = await joinApi(t, {
  database: await freshDatabase(t),
  settings: {
    ...{ WHOOP_API_URL: url, POLAR_API_URL: url, BACKFILL_ON_CONNECT: 'false' },
    ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000' },
  },
  instead: [pullIngestService(fast)],
});

async function connected(provider: 'whoop' | 'polar', fields: Record<string, unknown> = {}): Promise<string> {
  answers.clear();
  answers.set('/v3/exercises', []);
  answers.set('/v3/users/activities', []);
  answers.set('/v3/users/cardio-load/date', []);
  const userId = await createUser(api, fields);
  await api.expect(201, `/users/${userId}/connections`, {
    body: {
      ...{
        provider,
        provider_user_id: userId,
        access_token: 'a token',
        expires_at: isoTime(Date.now() + dayMs),
      },
      scope: ['read:recovery', 'read:sleep', 'read:cycles', 'read:workout', 'accesslink.read_all'],
    },
  });
  return userId;
}

/** Reads one kind of data of a connection, and waits until it is stored. */
async function read(userId: string, type: string): Promise<void> {
  const [{ id: connection_id } = { id: '' }] = await api.database.query<{ id: string }>(
    `insert into pull.connection (connection_id, provider, user_id, connected_at)
     select id, provider, user_id, '2020-01-01' from users.connection where user_id = $1
     on conflict (connection_id) do update set connected_at = excluded.connected_at returning connection_id as id`,
    [userId],
  );
  await api.database.query(
    `insert into pull.reading (connection_id, type, past, run_at)
     values ($1, $2, tstzmultirange(tstzrange(now() - interval '25 days', now() + interval '1 day')), now())
     on conflict (connection_id, type) do update set past = excluded.past, run_at = now()`,
    [connection_id, type],
  );
  await until(async () => {
    const rows = await api.database.query(
      `select from pull.reading where connection_id = $1 and type = $2 and (past <> '{}' or leased)`,
      [connection_id, type],
    );
    return rows.length === 0;
  });
}

const todayMs = Math.floor(Date.now() / dayMs) * dayMs;
/** Midnight in UTC of a day before today. */
const daysAgo = (days: number) => todayMs - days * dayMs;

interface Night {
  readonly endMs: number;
  readonly offset: number;
}

const nightOf = ({ endMs, offset }: Night, index: number) => ({
  ...{ id: `night-${index}`, cycle_id: index, user_id: 1, nap: false, score_state: 'SCORED' },
  ...{ start: isoTime(endMs - 8 * hourMs), end: isoTime(endMs) },
  timezone_offset: localTime(0, offset).slice(-6),
  score: {
    stage_summary: { total_light_sleep_time_milli: 14_400_000, total_rem_sleep_time_milli: 7_200_000 },
    sleep_performance_percentage: 80,
  },
});

const recoveryOf = ({ endMs }: Night, index: number) => ({
  ...{ cycle_id: index, sleep_id: `night-${index}`, user_id: 1, score_state: 'SCORED' },
  ...{ created_at: isoTime(endMs + 600_000), updated_at: isoTime(endMs + 600_000) },
  score: {
    recovery_score: 50 + index,
    resting_heart_rate: 50 + index,
    hrv_rmssd_milli: 60,
    spo2_percentage: 96,
  },
});

const Scores = z.object({ data: z.array(z.object({ value: z.number(), date: z.string() })) });
const range = `start_date=${isoTime(daysAgo(40)).slice(0, 10)}&end_date=${isoTime(daysAgo(-2)).slice(0, 10)}`;

async function recoveryDays(userId: string): Promise<Record<string, string>> {
  const answer = Scores.parse(
    await api.expect(200, `/users/${userId}/scores?kind=recovery&limit=100&${range}`),
  );
  return Object.fromEntries(answer.data.map(({ value, date }) => [value, date]).sort());
}

/** The local days of the samples with the recoveries. */
async function restingDays(userId: string): Promise<Record<string, string>> {
  const rows = await api.database.query<{ value: string; date: string }>(
    `select round(d.sum)::text as value, d.date::text as date from timeseries.sample_local_day d
     join timeseries.series s on s.id = d.series_id
     where s.user_id = $1 and s.type_id = 2 and s.provider = 'whoop' order by 1`,
    [userId],
  );
  return Object.fromEntries(rows.map(({ value, date }) => [value, date]));
}

const auckland = [9, 8, 7, 6].map((days): Night => ({ endMs: daysAgo(days) + 18 * hourMs, offset: 780 }));
const travel = [
  ...[13, 12, 11, 10].map((days): Night => ({ endMs: daysAgo(days) + 15 * hourMs, offset: -480 })),
  ...[9, 8, 7, 6].map((days): Night => ({ endMs: daysAgo(days) + 22 * hourMs, offset: 540 })),
];

for (const [name, nights] of Object.entries({ auckland, travel }))
  for (const order of [
    ['recovery', 'sleep'],
    ['sleep', 'recovery'],
    ['recovery', 'sleep', 'recovery'],
  ])
    t.test(
      `recoveries are of the days on which their nights end: ${name}, ${order.join(', ')}`,
      async (t) => {
        const userId = await connected('whoop');
        answers.set('/v2/activity/sleep', { records: nights.map(nightOf) });
        answers.set('/v2/recovery', { records: nights.map(recoveryOf) });
        for (const type of order) await read(userId, type);
        const want = Object.fromEntries(
          nights.map(({ endMs, offset }, index) => [50 + index, localDate(endMs, offset)]),
        );
        t.same(await recoveryDays(userId), want);
        t.same(await restingDays(userId), want);
      },
    );

const Samples = z.object({
  data: z.array(z.object({ timestamp: z.string(), type: z.string(), value: z.number() })),
});

for (const order of [
  ['recharge', 'days', 'heart_rate', 'sleep'],
  ['sleep', 'recharge', 'days', 'heart_rate'],
  ['sleep', 'heart_rate', 'days', 'recharge', 'sleep', 'days', 'heart_rate', 'recharge'],
])
  t.test(`local times are of the clock of their nights: ${order.join(', ')}`, async (t) => {
    const userId = await connected('polar');
    const polar_user = 'https://www.polaraccesslink.com/v3/users/1';
    const dates = [4, 3, 2].map((days) => isoTime(daysAgo(days)).slice(0, 10));
    const before = (date: string) => isoTime(Date.parse(date) - dayMs).slice(0, 10);
    answers.set('/v3/users/sleep/available', { available: dates.map((date) => ({ date })) });
    for (const date of dates)
      answers.set(`/v3/users/sleep/${date}`, {
        ...{ polar_user, date, light_sleep: 14_000, deep_sleep: 6000, rem_sleep: 5000, sleep_score: 80 },
        ...{ sleep_start_time: `${before(date)}T23:10:00+09:00`, sleep_end_time: `${date}T07:05:00+09:00` },
      });
    answers.set('/v3/users/nightly-recharge', {
      recharges: dates.map((date, index) => ({
        ...{ polar_user, date, nightly_recharge_status: 5, heart_rate_variability_avg: 41 },
        hrv_samples: { '23:41': 40 + index, '02:46': 42 + index },
        breathing_samples: { '23:39': 13 + index },
      })),
    });
    answers.set(
      '/v3/users/activities',
      dates.map((date, index) => ({
        ...{ polar_user, start_time: `${date}T00:00:00`, end_time: `${date}T23:59:59`, steps: 9000 + index },
        samples: {
          date,
          steps: {
            interval_ms: 60_000,
            total_steps: 20 + index,
            samples: [{ steps: 20 + index, timestamp: `${date}T08:00:00` }],
          },
        },
      })),
    );
    answers.set('/v3/users/continuous-heart-rate', {
      heart_rates: dates.map((date, index) => ({
        ...{ polar_user, date },
        heart_rate_samples: [{ heart_rate: 90 + index, sample_time: '00:02:08' }],
      })),
    });
    for (const type of order) await read(userId, type);
    const zoned = (date: string, time: string) =>
      isoTime(Date.parse(`${date}T${time}+09:00`)).replace('.000', '');
    const want = dates.flatMap((date, index) => [
      [zoned(before(date), '23:41:00'), 'heart_rate_variability_rmssd', 40 + index],
      [zoned(date, '02:46:00'), 'heart_rate_variability_rmssd', 42 + index],
      [zoned(before(date), '23:39:00'), 'respiratory_rate', 13 + index],
      [zoned(date, '08:00:00'), 'steps', 20 + index],
      [zoned(date, '00:02:08'), 'heart_rate', 90 + index],
    ]);
    const types = 'types=heart_rate_variability_rmssd,respiratory_rate,steps,heart_rate';
    const from = `start_time=${isoTime(daysAgo(10))}&end_time=${isoTime(daysAgo(-1))}`;
    const { data } = Samples.parse(
      await api.expect(200, `/users/${userId}/timeseries?${types}&limit=100&${from}`),
    );
    const have = data.map(({ timestamp, type, value }) => [timestamp, type, value]);
    t.same(have.map(String).sort(), want.map(String).sort());
    const Days = z.object({ data: z.array(z.object({ date: z.string(), steps: z.number().nullable() })) });
    const days = Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?limit=100&${range}`));
    t.same(
      days.data.filter(({ steps }) => steps !== null).map(({ date, steps }) => [date, steps]),
      dates.map((date, index) => [date, 9000 + index]),
    );
  });
