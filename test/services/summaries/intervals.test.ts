import t from 'tap';
import { z } from 'zod';
import { ExplainedActivitySummary, type ExplainedSource } from '../../../contracts/summaries/schemas.ts';
import { pageOf } from '../../../domain/page.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { createUser, createWearer, push, startApi } from '../../support/api.ts';
import { phone, steps, watch } from '../timeseries/interval-items.ts';
import { activity, at, block, day, item, workout } from '../timeseries/items.ts';

const api = await startApi(t);
const Page = pageOf(ExplainedActivitySummary);
const sources = [watch, phone];
const onWatch = { provider: 'devicemaker', device: 'Watch 7' };
const onPhone = { provider: 'devicemaker', device: 'Phone 15' };

type Items = Parameters<typeof api.call<'timeseries.store'>>[1]['items'];
type Intervals = Parameters<typeof api.call<'timeseries.storeIntervals'>>[1]['intervals'];
type Provider = 'devicemaker' | 'activitynet';

const store = (user_id: string, items: Items, provider: Provider = 'devicemaker') =>
  api.call('timeseries.store', { user_id, provider, items });
const storeIntervals = (user_id: string, intervals: Intervals, provider: Provider = 'devicemaker') =>
  api.call('timeseries.storeIntervals', { user_id, provider, sources, intervals });

async function days(userId: string, range = 'start_date=2026-03-01&end_date=2026-03-01') {
  const { data } = Page.parse(
    await api.expect(200, `/users/${userId}/summaries/activity?${range}&explain=true`),
  );
  return data;
}

async function oneDay(userId: string) {
  const [first] = await days(userId);
  if (first?.explanation === undefined) throw new Error('no explained day');
  return { ...first, explanation: first.explanation };
}

t.test('a walk that phone and watch both counted is counted once', async (t) => {
  const userId = await createUser(api);
  const nine = at('09:00:00');
  await storeIntervals(userId, [steps(nine, 60, 4000), steps(nine + 30 * minuteMs, 60, 6000, { source: 1 })]);
  const { explanation, ...summary } = await oneDay(userId);
  t.match(summary, { steps: 7000, source: onWatch });
  t.same(explanation.steps, [
    { source: onPhone, value: 6000, origin: 'intervals', share: 0.4286, rule: 'best_ranked' },
    { source: onWatch, value: 4000, origin: 'intervals', share: 0.5714, rule: 'best_ranked' },
  ]);
});

t.test('the active minutes of each source are those that it measured', async (t) => {
  const userId = await createUser(api);
  const nine = at('09:00:00');
  const type = 'exercise_time';
  await storeIntervals(userId, [steps(nine, 60, 30, { type }), steps(nine, 60, 40, { type, source: 1 })]);
  const { explanation, active_minutes } = await oneDay(userId);
  t.equal(active_minutes, 30);
  t.match(explanation.active_minutes, [
    { source: onPhone, value: 40 },
    { source: onWatch, value: 30 },
  ]);
});

/** The published day: the watch alone has 4,157 of 14,079 steps, because it was worn for a part of the day only. */
t.test('a day of which one source has 4,157 of 14,079 steps adds up', async (t) => {
  const userId = await createUser(api);
  const onWrist = Array.from({ length: 24 }, (_, index) => ({ minute: 420 + 5 * index, value: 173 }));
  const inPocket = Array.from({ length: 66 }, (_, index) => ({ minute: 425 + 10 * index, value: 182 }));
  const given = [
    ...onWrist.map(({ minute, value }, index) =>
      steps(at('00:00:00') + minute * minuteMs, 5, index === 0 ? value + 5 : value),
    ),
    ...inPocket.map(({ minute, value }) =>
      steps(at('00:00:00') + minute * minuteMs, 10, value, { source: 1 }),
    ),
  ];
  await storeIntervals(userId, given);
  const { explanation, ...summary } = await oneDay(userId);
  const own = new Map(explanation.steps?.map(({ source, value }) => [source.device, value]));
  t.equal(own.get('Watch 7'), 4157);
  // The phone has the same walk while the watch is worn: 11.5 of its 66 intervals.
  const expected = 4157 + 182 * (66 - 11.5);
  t.ok(Math.abs((summary.steps ?? 0) - expected) < 1, `${summary.steps} steps`);
  t.ok(Math.abs((summary.steps ?? 0) - 14_079) / 14_079 < 0.01, `${summary.steps} steps`);
});

t.test('a provider with an own total takes part with it, not with its intervals', async (t) => {
  const userId = await createUser(api);
  const nine = at('09:00:00');
  await storeIntervals(userId, [steps(nine, 60, 8000), steps(nine, 60, 500, { type: 'energy' })]);
  t.match(await oneDay(userId), { steps: 8000, active_calories_kcal: 500 });
  await store(userId, [
    item({ key: 'a day', day: day('2026-03-01', { steps: 5000, active_calories_kcal: null }) }),
  ]);
  const { explanation, ...summary } = await oneDay(userId);
  t.match(summary, { steps: 5000, active_calories_kcal: 500 });
  t.same(explanation.steps, [
    { source: onWatch, value: 5000, origin: 'day_total', share: 1, rule: 'precedence' },
    { source: onWatch, value: 8000, origin: 'intervals', share: 0, rule: 'precedence' },
  ]);
  await storeIntervals(userId, [steps(nine, 60, 6000, { source: 1 })], 'activitynet');
  t.match(await oneDay(userId), { steps: 6000 }, 'the larger of the total and the intervals of others');
  await store(userId, [
    item({ key: 'a day', duration_seconds: 86_400, day: day('2026-03-01', { steps: 6500 }) }),
  ]);
  const later = await oneDay(userId);
  t.match(later, { steps: 6500 });
  const shares = later.explanation.steps?.map(({ source, origin, share }) => [
    source.provider,
    origin,
    share,
  ]);
  t.same(shares, [
    ['devicemaker', 'day_total', 1],
    ['devicemaker', 'intervals', 0],
    ['activitynet', 'intervals', 0],
  ]);
});

t.test('intervals go before samples and workouts of their provider', async (t) => {
  const userId = await createUser(api);
  const nine = at('09:00:00');
  await store(userId, [
    item({ samples: [block('steps', [[nine, 9000]], { device: 'Band 2' })] }),
    activity(workout(nine, 60, { steps: 9500, device: 'Watch 7' })),
  ]);
  await storeIntervals(userId, [steps(nine, 60, 4000)]);
  const { explanation, ...summary } = await oneDay(userId);
  t.match(summary, { steps: 4000, source: onWatch });
  t.same(
    explanation.steps?.map(({ origin, share, rule }) => [origin, share, rule]),
    [
      ['intervals', 1, 'only_value'],
      ['samples', 0, 'precedence'],
      ['workouts', 0, 'precedence'],
    ],
  );
});

t.test('an interval over midnight belongs to both local days, on days of 23 and 25 hours too', async (t) => {
  const userId = await createUser(api);
  const walk = (start: string, offset: number) =>
    steps(Date.parse(start), 120, 1200, { zone_offset_minutes: offset });
  await storeIntervals(userId, [
    walk('2026-03-28T22:00:00Z', 60),
    walk('2026-03-29T21:00:00Z', 120),
    walk('2026-10-24T21:00:00Z', 120),
    walk('2026-10-25T22:00:00Z', 60),
  ]);
  const dates = async (range: string) => (await days(userId, range)).map(({ date, steps }) => [date, steps]);
  t.same(await dates('start_date=2026-03-01&end_date=2026-12-01'), [
    ['2026-03-28', 600],
    ['2026-03-29', 1200],
    ['2026-03-30', 600],
    ['2026-10-24', 600],
    ['2026-10-25', 1200],
    ['2026-10-26', 600],
  ]);
});

t.test("a provider's daily record dates its intervals", async (t) => {
  const userId = await createUser(api);
  // Without an offset of its own the last hour of the day of 25 hours has the offset of its beginning.
  const late = steps(Date.parse('2026-10-25T22:30:00Z'), 10, 100, { zone_offset_minutes: 120 });
  await storeIntervals(userId, [late]);
  const range = 'start_date=2026-10-20&end_date=2026-10-30';
  t.same(
    (await days(userId, range)).map(({ date }) => date),
    ['2026-10-26'],
  );
  const record = day('2026-10-25', {
    ...{ start_ms: Date.parse('2026-10-24T22:00:00Z'), duration_seconds: 25 * 3600, steps: null },
    zone_offset_minutes: 120,
  });
  await store(userId, [item({ day: record, duration_seconds: 25 * 3600 })]);
  t.same(
    (await days(userId, range)).map(({ date, steps }) => [date, steps]),
    [['2026-10-25', 100]],
  );
});

const midnight = at('00:00:00', '2026-03-10') / 1000;
const march10 = 'start_date=2026-03-10&end_date=2026-03-10';

t.test('a daily without steps says nothing about them, whatever hours it covers', async (t) => {
  const { userId, account } = await createWearer(api);
  const daily = { userId: account, calendarDate: '2026-03-10', startTimeOffsetInSeconds: 0 };
  const bodies = {
    epoch: {
      epochs: [
        {
          ...{ userId: account, activityType: 'WALKING', startTimeInSeconds: midnight + 18_900 },
          ...{ durationInSeconds: 900, steps: 402, activeKilocalories: 51, distanceInMeters: 1880 },
        },
      ],
    },
    long: {
      dailies: [
        {
          ...{ ...daily, startTimeInSeconds: midnight + 3600, durationInSeconds: 90_000 },
          ...{ distanceInMeters: 6875, floorsClimbed: 26, activeKilocalories: 1245, bmrKilocalories: 983 },
          ...{ averageHeartRateInBeatsPerMinute: 75, minHeartRateInBeatsPerMinute: 50 },
        },
      ],
    },
    short: {
      dailies: [
        {
          ...{ ...daily, startTimeInSeconds: midnight, durationInSeconds: 43_200 },
          ...{ steps: 17_770, floorsClimbed: 3, activeKilocalories: 95, maxHeartRateInBeatsPerMinute: 133 },
        },
      ],
    },
  };
  for (const name of ['epoch', 'long', 'short'] as const) await push(api, bodies[name]);
  const [{ explanation, ...summary } = { explanation: undefined }] = await days(userId, march10);
  t.match(summary, {
    ...{ steps: 17_770, distance_meters: 6875, floors_climbed: 26 },
    ...{ active_calories_kcal: 1245, total_calories_kcal: 2228 },
    heart_rate: { avg_bpm: 75, min_bpm: 50, max_bpm: 133 },
  });
  const entries = (list: ExplainedSource[] = []) =>
    list.map(({ value, origin, share, rule }) => [value, origin, share, rule]);
  t.same(entries(explanation?.steps), [
    [17_770, 'day_total', 1, 'precedence'],
    [402, 'intervals', 0, 'precedence'],
  ]);
  t.same(entries(explanation?.distance_meters), [
    [6875, 'day_total', 1, 'precedence'],
    [1880, 'intervals', 0, 'precedence'],
  ]);
  t.same(entries(explanation?.floors_climbed), [
    [26, 'day_total', 1, 'longest_record'],
    [3, 'day_total', 0, 'longest_record'],
  ]);
});

t.test('total energy adds the basal part of a daily to the active part of epochs', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, {
    epochs: [
      {
        ...{ userId: account, activityType: 'WALKING', startTimeInSeconds: midnight + 36_000 },
        ...{ startTimeOffsetInSeconds: 0, durationInSeconds: 900, activeKilocalories: 177 },
      },
    ],
    dailies: [
      {
        ...{ userId: account, calendarDate: '2026-03-10', startTimeInSeconds: midnight },
        ...{ startTimeOffsetInSeconds: 0, durationInSeconds: 86_400, bmrKilocalories: 1041 },
      },
    ],
  });
  const [{ explanation, ...summary } = { explanation: undefined }] = await days(userId, march10);
  t.match(summary, { active_calories_kcal: 177, total_calories_kcal: 1218 });
  t.match(explanation?.total_calories_kcal, [{ value: 1218, share: 1, rule: 'active_plus_basal' }]);
  t.equal(explanation?.total_calories_kcal?.length, 1);
});

t.test('explanations are what the contract says', async (t) => {
  const userId = await createUser(api);
  await storeIntervals(userId, [steps(at('09:00:00'), 60, 4000)]);
  t.ok(z.array(ExplainedActivitySummary).safeParse(await days(userId)).success);
});
