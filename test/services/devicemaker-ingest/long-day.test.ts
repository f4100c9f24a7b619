import t from 'tap';
import { offsetMap, offsets } from '../../fixtures/devicemaker/offsets.ts';
import { createWearer, push, startApi } from '../../support/api.ts';

const api = await startApi(t);

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
