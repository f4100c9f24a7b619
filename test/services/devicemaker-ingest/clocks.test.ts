import t from 'tap';
import { offsetMap, offsets } from '../../fixtures/devicemaker/offsets.ts';
import { createWearer, push, startApi } from '../../support/api.ts';

const api = await startApi(t);
const at = (time: string) => Date.parse(`${time}Z`) / 1000;

/** A day of the device maker with an offset of `hours` from UTC. */
const clockAt = (userId: string, time: string, hours: number) => ({
  ...{ userId, startTimeInSeconds: at(time), startTimeOffsetInSeconds: hours * 3600, durationInSeconds: 60 },
  calendarDate: time.slice(0, 10),
});

/** What a device sends that names no date and no offset; by the clock of UTC+10 all of it is of 3 June. */
const undated = (userId: string) => ({
  dailies: [
    { userId, startTimeInSeconds: at('2025-06-02T14:00:00'), durationInSeconds: 86_400, steps: 5000 },
  ],
  sleeps: [
    {
      ...{ userId, startTimeInSeconds: at('2025-06-02T13:00:00'), deepSleepDurationInSeconds: 28_800 },
      naps: [{ napStartTimeInSeconds: at('2025-06-02T22:00:00'), napDurationInSeconds: 1200 }],
    },
  ],
  moveiq: [{ userId, startTimeInSeconds: at('2025-06-02T20:00:00'), durationInSeconds: 600 }],
});

/** The local dates of all records except those with the offset. */
async function datesOf(userId: string): Promise<unknown> {
  const [row] = await api.database.query(
    `select
       (select array_agg(date::text) from timeseries.provider_day where user_id = $1 and steps = 5000) as day,
       (select array_agg(date::text) from timeseries.sleep_session where user_id = $1 and not is_nap) as sleep,
       (select array_agg(date::text) from timeseries.sleep_session where user_id = $1 and is_nap) as nap,
       (select array_agg(local_date::text) from timeseries.other_record where user_id = $1) as moveiq`,
    [userId],
  );
  return row;
}

const all = (date: string) => ({ day: [date], sleep: [date], nap: [date], moveiq: [date] });

t.test('records without a date and an offset belong to the day of the latest known clock', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [clockAt(account, '2025-05-20T14:00:00', 10)] });
  await push(api, { dailies: [clockAt(account, '2025-05-10T08:00:00', -8)] });
  await push(api, undated(account));
  t.same(await datesOf(userId), all('2025-06-03'));
  t.match(
    await api.expect(200, `/users/${userId}/summaries/sleep?start_date=2025-06-01&end_date=2025-06-05`),
    {
      data: [{ date: '2025-06-03', duration_minutes: 480, nap_count: 1 }],
    },
  );
  t.match(
    await api.expect(200, `/users/${userId}/summaries/activity?start_date=2025-06-01&end_date=2025-06-05`),
    {
      data: [{ date: '2025-06-03', steps: 5000 }],
    },
  );
});

t.test('without any known clock they belong to the day of UTC', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, undated(account));
  t.same(await datesOf(userId), all('2025-06-02'));
});

t.test('the own offset takes precedence over the known clock', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [clockAt(account, '2025-05-20T14:00:00', 10)] });
  const { dailies, sleeps, moveiq } = undated(account);
  const own = { startTimeOffsetInSeconds: -4 * 3600 };
  await push(api, {
    dailies: dailies.map((one) => ({ ...one, ...own })),
    sleeps: sleeps.map((one) => ({ ...one, ...own })),
    moveiq: moveiq.map((one) => ({ ...one, offsetInSeconds: -4 * 3600 })),
  });
  t.same(await datesOf(userId), all('2025-06-02'));
});

t.test("a nap's own offset takes precedence over that of its night", async (t) => {
  const { userId, account } = await createWearer(api);
  const { sleeps } = undated(account);
  await push(api, {
    sleeps: sleeps.map((one) => ({
      ...one,
      startTimeOffsetInSeconds: -4 * 3600,
      naps: one.naps.map((nap) => ({ ...nap, napOffsetInSeconds: 10 * 3600 })),
    })),
  });
  t.match(await datesOf(userId), { sleep: ['2025-06-02'], nap: ['2025-06-03'] });
});

t.test('the date of an item takes precedence over any clock', async (t) => {
  const { userId, account } = await createWearer(api);
  const { dailies, sleeps, moveiq } = undated(account);
  const own = { calendarDate: '2025-06-09' };
  await push(api, {
    dailies: dailies.map((one) => ({ ...one, ...own })),
    sleeps: sleeps.map((one) => ({ ...one, ...own })),
    moveiq: moveiq.map((one) => ({ ...one, ...own })),
  });
  t.same(await datesOf(userId), { ...all('2025-06-09'), nap: ['2025-06-02'] });
});

/** A day of the device maker from a local midnight on, with a heart rate every 15 minutes. */
const dayOf = (
  userId: string,
  date: string,
  start: string,
  hours: number,
  offsetHours: number,
  bpm: number,
) => ({
  ...{ userId, calendarDate: date, startTimeInSeconds: Date.parse(start) / 1000 },
  ...{ startTimeOffsetInSeconds: offsetHours * 3600, durationInSeconds: hours * 3600 },
  timeOffsetHeartRateSamples: offsetMap(offsets(hours * 3600, 900), () => bpm),
});

async function averages(userId: string) {
  const range = 'start_date=2025-01-01&end_date=2025-12-31';
  return api.expect(200, `/users/${userId}/summaries/activity?${range}`);
}

t.test('a day of 25 hours keeps its last hour in any order of days', async (t) => {
  const days = (account: string) => [
    dayOf(account, '2025-10-26', '2025-10-25T22:00:00Z', 25, 2, 60),
    dayOf(account, '2025-10-27', '2025-10-26T23:00:00Z', 24, 1, 90),
  ];
  for (const order of [days, (account: string) => days(account).reverse()]) {
    const { userId, account } = await createWearer(api);
    await push(api, { dailies: order(account) });
    t.match(await averages(userId), {
      data: [
        { date: '2025-10-26', heart_rate: { avg_bpm: 60 } },
        { date: '2025-10-27', heart_rate: { avg_bpm: 90 } },
      ],
    });
  }
});

t.test('a day of 25 hours alone is one day', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [dayOf(account, '2025-10-26', '2025-10-25T22:00:00Z', 25, 2, 60)] });
  t.match(await averages(userId), { data: [{ date: '2025-10-26' }], pagination: { total_count: 1 } });
});

t.test('a day of 23 hours ends where the next begins', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, {
    dailies: [
      dayOf(account, '2025-03-30', '2025-03-29T23:00:00Z', 23, 1, 60),
      dayOf(account, '2025-03-31', '2025-03-30T22:00:00Z', 24, 2, 90),
    ],
  });
  t.match(await averages(userId), {
    data: [
      { date: '2025-03-30', heart_rate: { avg_bpm: 60 } },
      { date: '2025-03-31', heart_rate: { avg_bpm: 90 } },
    ],
  });
});
