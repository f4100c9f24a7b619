import t from 'tap';
import { z } from 'zod';
import { createWearer, push, startApi } from '../support/api.ts';
import { fullDay, heartRateOf } from '../support/full-day.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Samples = z.object({
  data: z.array(z.object({ timestamp: z.string(), value: z.number() })),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});
const start = Date.UTC(2026, 2, 10);

async function heartRates(userId: string): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `types=heart_rate&start_time=2026-03-10&end_time=2026-03-10&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = Samples.parse(await api.expect(200, `/users/${userId}/timeseries?${query}`));
    found.push(...page.data.map(({ timestamp, value }): [string, number] => [timestamp, value]));
    cursor = page.pagination.next_cursor;
    if (cursor === null) t.equal(page.pagination.total_count, found.length);
  }
  return found;
}

async function restingHeartRates(userId: string): Promise<number[]> {
  const query = 'types=resting_heart_rate&start_time=2026-03-10&end_time=2026-03-10';
  const page = Samples.parse(await api.expect(200, `/users/${userId}/timeseries?${query}`));
  return page.data.map(({ value }) => value);
}

t.test(
  'a full day of 5,760 values is readable when the push is answered; a repetition changes nothing',
  async (t) => {
    const { userId, account } = await createWearer(api);
    const body = { dailies: [fullDay({ account, startMs: start, seconds: 86_400, seed: 1 })] };
    const first = await push(api, body);
    t.equal(first.status, 200);
    t.same(first.body, {
      processed: 0,
      saved: 0,
      total: { processed: 1, saved: 1 },
      placeholders: 0,
      errors: [],
      activities: [],
      wellness: { dailies: { processed: 1, saved: 1 } },
      backfill_chained: [],
    });
    const stored = await heartRates(userId);
    t.same(stored, heartRateOf(start, 86_400, 1));
    t.equal(stored.length, 5760);
    const again = await push(api, body);
    t.match(again.body, {
      total: { processed: 1, saved: 0 },
      errors: [],
      wellness: { dailies: { processed: 1, saved: 0 } },
    });
    t.same(await heartRates(userId), stored);
  },
);

t.test('the evening version of a day replaces the midday version', async (t) => {
  const { userId, account } = await createWearer(api);
  const noon = fullDay({ account, startMs: start, seconds: 43_200, seed: 2, resting: 61 });
  const evening = fullDay({ account, startMs: start, seconds: 79_200, seed: 2, resting: 57 });
  await push(api, { dailies: [noon] });
  t.same(await restingHeartRates(userId), [61]);
  t.match((await push(api, { dailies: [evening] })).body, { wellness: { dailies: { saved: 1 } } });
  t.same(await restingHeartRates(userId), [57]);
  t.same(await heartRates(userId), heartRateOf(start, 79_200, 2));
});

t.test('a midday version that arrives late changes nothing', async (t) => {
  const { userId, account } = await createWearer(api);
  const evening = fullDay({ account, startMs: start, seconds: 79_200, seed: 3, resting: 57 });
  const late = fullDay({ account, startMs: start, seconds: 43_200, seed: 4, resting: 99 });
  await push(api, { dailies: [evening] });
  t.match((await push(api, { dailies: [late] })).body, { wellness: { dailies: { processed: 1, saved: 0 } } });
  t.same(await restingHeartRates(userId), [57]);
  t.same(await heartRates(userId), heartRateOf(start, 79_200, 3));
});

t.test('the answer has the outcome and record ids of each activity', async (t) => {
  const { userId, account } = await createWearer(api);
  const activity = {
    userId: account,
    summaryId: 'a-1',
    activityId: 7_000_000_001,
    activityName: 'Evening run',
    startTimeInSeconds: start / 1000 + 61_200,
    startTimeOffsetInSeconds: 7200,
    durationInSeconds: 1800,
    activityType: 'TRAIL_RUNNING',
    deviceName: 'Watch 3',
    distanceInMeters: 5000.5,
    activeKilocalories: 350,
    averageHeartRateInBeatsPerMinute: 151,
    maxHeartRateInBeatsPerMinute: 178,
    averagePaceInMinutesPerKilometer: 6,
    totalElevationGainInMeters: 42,
  };
  const broken = { ...activity, activityId: 7_000_000_002, startTimeInSeconds: 'soon' };
  const stranger = { ...activity, activityId: 7_000_000_003, userId: 'nobody-here' };
  const answer = await push(api, { activities: [broken, activity, stranger] });
  const Body = z.object({
    processed: z.int(),
    saved: z.int(),
    errors: z.array(z.string()),
    activities: z.array(
      z.object({
        activity_id: z.string().nullable(),
        status: z.string(),
        record_ids: z.array(z.string()),
        internal_user_id: z.string().nullable(),
      }),
    ),
  });
  const body = Body.parse(answer.body);
  t.same([body.processed, body.saved], [3, 1]);
  t.same(
    body.activities.map(({ status }) => status),
    ['validation_error', 'saved', 'user_not_found'],
  );
  t.ok(
    body.errors.length >= 1 && !body.errors.join().includes('soon'),
    'the reason is told without the value',
  );
  const [id] = body.activities[1]?.record_ids ?? [];
  const list = await api.expect(
    200,
    `/users/${userId}/events/workouts?start_date=2026-03-10&end_date=2026-03-10`,
  );
  const workout = {
    id,
    type: 'running',
    name: 'Evening run',
    start_time: '2026-03-10T17:00:00Z',
    end_time: '2026-03-10T17:30:00Z',
    duration_seconds: 1800,
    source: { provider: 'devicemaker', device: 'Watch 3' },
    calories_kcal: 350,
    distance_meters: 5000.5,
    avg_heart_rate_bpm: 151,
    max_heart_rate_bpm: 178,
    avg_pace_sec_per_km: 360,
    elevation_gain_meters: 42,
    zone_offset: '+02:00',
  };
  t.match(list, {
    data: [workout],
    pagination: { total_count: 1, has_more: false, next_cursor: null, previous_cursor: null },
    metadata: {
      resolution: null,
      sample_count: 1,
      start_time: '2026-03-10T00:00:00Z',
      end_time: '2026-03-11T00:00:00Z',
    },
  });
  t.match(await api.expect(200, `/users/${userId}/events/workouts/${id}`), { ...workout, private: null });
  t.match((await push(api, { activities: [activity] })).body, {
    processed: 1,
    saved: 0,
    activities: [{ status: 'duplicate', record_ids: [id] }],
  });
});

t.test('a sleep is returned with its stages, naps and end', async (t) => {
  const { userId, account } = await createWearer(api);
  const from = start / 1000 + 79_200;
  const sleep = {
    userId: account,
    summaryId: 's-1',
    calendarDate: '2026-03-11',
    startTimeInSeconds: from,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 25_200,
    unmeasurableSleepInSeconds: 0,
    deepSleepDurationInSeconds: 5400,
    lightSleepDurationInSeconds: 14_400,
    remSleepInSeconds: 5400,
    awakeDurationInSeconds: 1800,
    validation: 'ENHANCED_FINAL',
    naps: [{ napStartTimeInSeconds: from - 28_800, napDurationInSeconds: 1500, napOffsetInSeconds: 0 }],
  };
  t.match((await push(api, { sleeps: [sleep] })).body, {
    errors: [],
    wellness: { sleeps: { processed: 1, saved: 1 } },
  });
  const list = await api.expect(
    200,
    `/users/${userId}/events/sleep?start_date=2026-03-10&end_date=2026-03-11`,
  );
  t.match(list, {
    data: [
      {
        start_time: '2026-03-10T22:00:00Z',
        end_time: '2026-03-11T05:30:00Z',
        duration_seconds: 25_200,
        efficiency_percent: 93.33,
        is_nap: false,
        stages: { awake_minutes: 30, light_minutes: 240, deep_minutes: 90, rem_minutes: 90 },
        source: { provider: 'devicemaker', device: 'unknown' },
      },
      {
        start_time: '2026-03-10T14:00:00Z',
        end_time: '2026-03-10T14:25:00Z',
        duration_seconds: 1500,
        is_nap: true,
      },
    ],
    pagination: { total_count: 2 },
  });
});

t.test('an unknown data type is named and does not stop the others', async (t) => {
  const { account } = await createWearer(api);
  const answer = await push(api, {
    hrv: [{ userId: account, startTimeInSeconds: start / 1000, hrvValues: { 300: 41 } }],
    noSuchType: [{ userId: account }],
  });
  t.equal(answer.status, 200);
  t.match(answer.body, { wellness: { hrv: { processed: 1, saved: 1 } } });
  t.match(answer.text, /noSuchType/);
});
