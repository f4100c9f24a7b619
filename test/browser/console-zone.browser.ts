// npm run test:browser: times of a user in the console are those of the user's clock, wherever the browser is.
import type { Page } from 'playwright-core';
import t from 'tap';
import { createWearer } from '../support/api.ts';
import { newestDelivery, sharedConsole, violations } from './console.ts';

const { api, root, openAt } = await sharedConsole(t);
/** The clocks of user and browser are 23 hours apart, so that their dates differ too. */
const timezoneId = 'Pacific/Honolulu';
const startTimeOffsetInSeconds = 13 * 3600;
const daySeconds = 86_400;
const midnight =
  Math.floor((Date.now() / 1000 + startTimeOffsetInSeconds) / daySeconds) * daySeconds -
  startTimeOffsetInSeconds;
/** An instant by the user's clock, some days before today. */
const local = (daysBefore: number, hours: number, minutes: number) =>
  midnight - daysBefore * daySeconds + hours * 3600 + minutes * 60;
const dateOf = (daysBefore: number) =>
  new Date((local(daysBefore, 12, 0) + startTimeOffsetInSeconds) * 1000).toISOString().slice(0, 10);

const { userId, account: ofUser } = await createWearer(api);
const common = { userId: ofUser, startTimeOffsetInSeconds };
const run = {
  ...{ activityType: 'RUNNING', durationInSeconds: 1800, distanceInMeters: 5000 },
};
const daily = (daysBefore: number, steps: number) => ({
  ...{ ...common, summaryId: `day-${daysBefore}`, calendarDate: dateOf(daysBefore), steps },
  ...{ startTimeInSeconds: local(daysBefore, 0, 0), durationInSeconds: daysBefore === 0 ? 60 : daySeconds },
  ...(daysBefore === 0 ? {} : { timeOffsetHeartRateSamples: { 25200: 60, 25260: 62, 25320: 64 } }),
});
await api.expect(200, '/webhooks/devicemaker/push', {
  headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  body: {
    activities: [
      {
        ...{ ...common, ...run, summaryId: 'run', activityId: 1, activityName: 'At home' },
        startTimeInSeconds: local(1, 7, 12),
      },
      {
        ...{ ...common, ...run, summaryId: 'away', activityId: 2, activityName: 'Away' },
        ...{ startTimeOffsetInSeconds: -5 * 3600, startTimeInSeconds: local(9, 7, 12) },
      },
    ],
    sleeps: [
      {
        ...{ ...common, summaryId: 'night', calendarDate: dateOf(1), validation: 'DEVICE' },
        ...{ startTimeInSeconds: local(2, 22, 52), durationInSeconds: 7 * 3600 + 48 * 60 },
        ...{ deepSleepDurationInSeconds: 0, lightSleepDurationInSeconds: 7 * 3600 + 48 * 60 },
        sleepLevelsMap: {
          light: [{ startTimeInSeconds: local(2, 22, 52), endTimeInSeconds: local(1, 6, 40) }],
        },
      },
    ],
    dailies: [daily(0, 1234), daily(1, 5000)],
  },
});

async function workoutsOf(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Workouts, table' }).waitFor();
}

t.test('a run at 07:12 and a night from 22:52 read so, with the zone beside them', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/workouts`, timezoneId);
  await workoutsOf(page);
  const rows = page.getByRole('region', { name: 'Workouts, table' }).getByRole('row');
  const time = rows.filter({ hasText: 'At home' }).locator('time');
  t.match(await time.innerText(), /\b7:12\sAM UTC\+13:00$/);
  const utc = new Date(local(1, 7, 12) * 1000).toISOString().slice(0, 16);
  t.match(await time.getAttribute('title'), new RegExp(`^${utc}.*UTC`));
  // 13:12 in UTC-05:00 is another day's 07:12 at home: a record has its own zone.
  t.match(await rows.filter({ hasText: 'Away' }).locator('time').innerText(), /\b1:12\sPM UTC-05:00$/);
  t.strictSame(await violations(page), []);
  await page.goto(`${root}/users/${userId}/sleep?month=${dateOf(1).slice(0, 7)}`);
  const night = page.locator('.night-row').filter({ hasText: /10:52\sPM to 0?6:40\sAM/ });
  await night.getByRole('link').first().click();
  await page.getByRole('heading', { name: /^Night to/ }).waitFor();
  const origin = page.locator('p.line').filter({ hasText: 'Garmin' });
  t.match(await origin.innerText(), /10:52\sPM to 0?6:40\sAM UTC\+13:00\s+Garmin/);
  const lanes = page.locator('figure.lanes');
  await lanes.getByRole('img', { name: /^Stages of sleep from 10:52\sPM to 0?6:40\sAM:/ }).waitFor();
  await lanes.getByText('UTC+13:00', { exact: true }).first().waitFor();
  t.match(await page.locator('h1 ~ p, .row ~ p').first().innerText(), 'UTC+13:00');
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('days and charts are those of the user, and so is their table', async (t) => {
  const [from, to] = [local(1, 0, 0), local(0, 0, 0)].map((at) => new Date(at * 1000).toISOString());
  const { page } = await openAt(`/users/${userId}/data?from=${from}&to=${to}`, timezoneId);
  const spans = page.locator('.spans [role=status]');
  t.match(await spans.innerText(), /12:00:00\sAM to .*12:00:00\sAM UTC\+13:00$/);
  const chart = page.locator('figure:has(.plot)');
  await chart.locator('summary').click();
  t.equal(await chart.locator('th').first().innerText(), 'Time (UTC+13:00)');
  t.match(await chart.locator('tbody td').first().innerText(), /\b7:00:00\sAM$/);
  await page.goto(`${root}/users/${userId}/body`);
  const today = page.locator('figure:has(.bars) .ends span').last();
  t.equal(await today.textContent(), dateOf(0));
  await page.goto(`${root}/users/${userId}/data`);
  await page.getByRole('columnheader', { name: new RegExp(` to ${dateOf(0)}$`) }).waitFor();
});

t.test('times of operators are those of the browser', async (t) => {
  const { page } = await openAt(`/deliveries/${await newestDelivery(api)}`, timezoneId);
  const time = page.locator('dl time').first();
  const at = new Date((await time.getAttribute('datetime')) ?? '');
  const clock = { timeZone: timezoneId, dateStyle: 'medium', timeStyle: 'short' } as const;
  t.equal(await time.innerText(), new Intl.DateTimeFormat('en-US', clock).format(at));
});
