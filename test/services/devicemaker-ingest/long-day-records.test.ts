import t from 'tap';
import { epoch } from '../../fixtures/devicemaker/epochs.ts';
import { createWearer, push, startApi } from '../../support/api.ts';

const api = await startApi(t, { EVENT_DELETE: 'mark' });
const second = (iso: string) => Date.parse(iso) / 1000;

/** 26 October in Berlin has 25 hours: the clock shows UTC+2 at its start and UTC+1 from 01:00 UTC on. */
const longDay = (userId: string, hours = 25) => ({
  ...{ userId, calendarDate: '2025-10-26', startTimeInSeconds: second('2025-10-25T22:00:00Z') },
  ...{ startTimeOffsetInSeconds: 7200, durationInSeconds: hours * 3600 },
});
const nextDay = (userId: string) => ({
  ...{ userId, calendarDate: '2025-10-27', startTimeInSeconds: second('2025-10-26T23:00:00Z') },
  ...{ startTimeOffsetInSeconds: 3600, durationInSeconds: 86_400 },
});

// All of it carries the offset of the day's start. At 22:30 UTC that clock shows 00:30 of the next day.
const lastHour = second('2025-10-26T22:30:00Z');
const clock = { startTimeOffsetInSeconds: 7200 };

const walk = (userId: string, startTimeInSeconds: number, steps: number) =>
  epoch(userId, 'WALKING', { ...clock, startTimeInSeconds, steps, activeTimeInSeconds: 300 });
const seat = (userId: string, startTimeInSeconds: number) =>
  epoch(userId, 'SEDENTARY', {
    ...{ ...clock, startTimeInSeconds, activeTimeInSeconds: 600, intensity: 'SEDENTARY' },
    ...{ steps: 0, distanceInMeters: 0, activeKilocalories: 0 },
  });
const ride = (userId: string, startTimeInSeconds: number) => ({
  ...{ userId, ...clock, startTimeInSeconds, durationInSeconds: 900, activityType: 'CYCLING' },
  ...{ activityId: startTimeInSeconds, summaryId: String(startTimeInSeconds), deviceName: 'Watch 7' },
  totalElevationGainInMeters: 40,
});
const breathing = (userId: string, startTimeInSeconds: number) => ({
  ...{ userId, ...clock, summaryId: 'b-1', startTimeInSeconds, durationInSeconds: 900 },
  timeOffsetEpochToBreaths: { 0: 12 },
});

const earlier = lastHour - 3 * 3600;
const later = lastHour + 3600;
const deliveries = (account: string): Record<string, object[]>[] => [
  {
    epochs: [
      ...[walk(account, earlier, 10), walk(account, lastHour, 200), walk(account, later, 3000)],
      ...[seat(account, earlier), seat(account, lastHour), seat(account, later)],
    ],
  },
  { activities: [ride(account, earlier), ride(account, lastHour), ride(account, later)] },
  { dailies: [longDay(account), nextDay(account)] },
];

async function daysOf(userId: string): Promise<unknown> {
  const range = 'start_date=2025-10-20&end_date=2025-10-31';
  return api.expect(200, `/users/${userId}/summaries/activity?${range}`);
}

const wanted = {
  data: [
    { date: '2025-10-26', steps: 210, sedentary_minutes: 20, elevation_meters: 80, active_minutes: 30 },
    { date: '2025-10-27', steps: 3000, sedentary_minutes: 10, elevation_meters: 40, active_minutes: 15 },
  ],
  pagination: { total_count: 2 },
};

t.test('all items of a provider within the span of its daily record count on that day', async (t) => {
  const orders: ((bodies: Record<string, object[]>[]) => Record<string, object[]>[])[] = [
    (bodies) => bodies,
    (bodies) => bodies.toReversed(),
    (bodies) => [Object.assign({}, ...bodies)],
  ];
  for (const inOrder of orders) {
    const { userId, account } = await createWearer(api);
    for (const body of inOrder(deliveries(account))) await push(api, body);
    t.match(await daysOf(userId), wanted);
  }
});

t.test('records move to a day as its daily record grows', async (t) => {
  const { userId, account } = await createWearer(api);
  const [epochs = {}, activities = {}] = deliveries(account);
  await push(api, { dailies: [longDay(account, 20)] });
  await push(api, epochs);
  await push(api, activities);
  t.match(await daysOf(userId), { data: [{ steps: 10, elevation_meters: 40 }, { steps: 3200 }] });
  await push(api, { dailies: [longDay(account, 23)] });
  t.match(await daysOf(userId), { data: [{ steps: 10 }, { steps: 3200 }] });
  await push(api, { dailies: [nextDay(account)] });
  await push(api, { dailies: [longDay(account)] });
  t.match(await daysOf(userId), wanted);
  await push(api, epochs);
  await push(api, { epochs: [walk(account, lastHour, 201)] });
  t.match(await daysOf(userId), { data: [{ steps: 211 }, { steps: 3000 }] });
});

t.test('the daily record of another user moves nothing', async (t) => {
  const [one, other] = [await createWearer(api), await createWearer(api)];
  const [epochs = {}, activities = {}] = deliveries(one.account);
  await push(api, epochs);
  await push(api, { dailies: [longDay(other.account), nextDay(other.account)] });
  await push(api, activities);
  t.match(await daysOf(one.userId), {
    data: [
      { date: '2025-10-26', steps: 10, elevation_meters: 40 },
      { steps: 3200, elevation_meters: 80 },
    ],
  });
});

t.test('the daily record of another provider moves nothing', async (t) => {
  const { userId, account } = await createWearer(api);
  const [epochs = {}] = deliveries(account);
  await push(api, epochs);
  await api.database.query(
    `update timeseries.series set provider = 'activitynet' where user_id = '${userId}'`,
  );
  await push(api, { dailies: [longDay(account), nextDay(account)] });
  t.match(await daysOf(userId), { data: [{ steps: 10 }, { steps: 3200 }] });
});

t.test('the time of a day of 23 hours is as long as its record', async (t) => {
  const { userId, account } = await createWearer(api);
  const at = second('2025-03-30T22:15:00Z'); // 23:15 by the clock of the day's start, 00:15 by that of its end
  const clock = { startTimeOffsetInSeconds: 3600 };
  const day = { userId: account, ...clock, calendarDate: '2025-03-30', durationInSeconds: 23 * 3600 };
  const next = { userId: account, calendarDate: '2025-03-31', durationInSeconds: 86_400 };
  const body = {
    epochs: [epoch(account, 'WALKING', { ...clock, startTimeInSeconds: at, steps: 7 })],
    dailies: [
      { ...day, startTimeInSeconds: second('2025-03-29T23:00:00Z') },
      { ...next, startTimeInSeconds: second('2025-03-30T22:00:00Z'), startTimeOffsetInSeconds: 7200 },
    ],
  };
  await push(api, body);
  const range = 'start_date=2025-03-01&end_date=2025-04-10';
  t.match(await api.expect(200, `/users/${userId}/summaries/activity?${range}`), {
    data: [
      { date: '2025-03-30', steps: null },
      { date: '2025-03-31', steps: 7 },
    ],
  });
});

t.test('heart rates of an activity count on the day until it is deleted', async (t) => {
  const { userId, account } = await createWearer(api);
  const samples = [0, 60, 120].map((after) => ({
    startTimeInSeconds: lastHour + after,
    heartRate: 150,
  }));
  const key = String(lastHour);
  const beats = (date: string) => ({ data: [{ date, heart_rate: { avg_bpm: 150 } }] });
  await push(api, {
    activityDetails: [
      {
        userId: account,
        activityId: lastHour,
        summaryId: `${key}-detail`,
        summary: ride(account, lastHour),
        samples,
      },
    ],
  });
  t.match(await daysOf(userId), beats('2025-10-27'));
  await push(api, { dailies: [longDay(account)] });
  t.match(await daysOf(userId), beats('2025-10-26'));
  await api.call('timeseries.deleteWorkout', { user_id: userId, provider: 'devicemaker', key });
  t.match(await daysOf(userId), { data: [{ date: '2025-10-26', heart_rate: { avg_bpm: null } }] });
});

t.test('samples that make no day of activity follow the record too', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { allDayRespiration: [breathing(account, lastHour)] });
  await push(api, { dailies: [longDay(account)] });
  const rows = await api.database.query(
    `select d.date::text from timeseries.sample_local_day d join timeseries.series s on s.id = d.series_id
     where s.user_id = $1`,
    [userId],
  );
  t.same(rows, [{ date: '2025-10-26' }]);
});
