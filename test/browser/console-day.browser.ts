// npm run test:browser: a person's day in the console: lanes, cursor, days beside it, week and month.
import type { Page } from 'playwright-core';
import t from 'tap';
import { createUser, createWearer } from '../support/api.ts';
import { apiNames, sharedConsole, textOf, tooWide, violations } from './console.ts';

const { api, root, userId, openAt } = await sharedConsole(t);

/** A user whose clock is 23 hours from that of the browser, with a day of whole hours. */
const timezoneId = 'Pacific/Honolulu';
const startTimeOffsetInSeconds = 13 * 3600;
const dayMs = 86_400_000;
const dateOf = (daysBefore: number) =>
  new Date(Date.now() + startTimeOffsetInSeconds * 1000 - daysBefore * dayMs).toISOString().slice(0, 10);
const local = (daysBefore: number, clock: string) =>
  Date.parse(`${dateOf(daysBefore)}T${clock}:00Z`) / 1000 - startTimeOffsetInSeconds;
const long = (date: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' },
  }).format(Date.parse(date));

const { userId: wearer, account } = await createWearer(api);
const common = { userId: account, startTimeOffsetInSeconds };
const rates = (from: number, to: number, rate: number) =>
  Object.fromEntries(Array.from({ length: (to - from) / 300 }, (_, index) => [from + index * 300, rate]));
const night = (daysBefore: number) => ({
  ...{ ...common, summaryId: `night-${daysBefore}`, calendarDate: dateOf(daysBefore), validation: 'DEVICE' },
  ...{ startTimeInSeconds: local(daysBefore + 1, '22:52'), durationInSeconds: 7 * 3600 + 48 * 60 },
  ...{ deepSleepDurationInSeconds: 0, lightSleepDurationInSeconds: 7 * 3600 + 48 * 60 },
  sleepLevelsMap: {
    light: [
      { startTimeInSeconds: local(daysBefore + 1, '22:52'), endTimeInSeconds: local(daysBefore, '06:40') },
    ],
  },
});
await api.expect(200, '/webhooks/devicemaker/push', {
  headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  body: {
    activities: [
      {
        ...{ ...common, summaryId: 'run', activityId: 1, activityName: 'At home', activityType: 'RUNNING' },
        ...{ startTimeInSeconds: local(1, '18:00'), durationInSeconds: 1800, distanceInMeters: 5000 },
      },
    ],
    sleeps: [night(1)],
    dailies: [1, 3].map((daysBefore) => ({
      ...{ ...common, summaryId: `day-${daysBefore}`, calendarDate: dateOf(daysBefore), steps: 5000 },
      ...{
        startTimeInSeconds: local(daysBefore, '00:00'),
        durationInSeconds: 86_400,
        restingHeartRateInBeatsPerMinute: 52,
      },
      // from midnight to 9:00 and from 11:00 on, and 141 bpm during the run
      timeOffsetHeartRateSamples: {
        ...{ ...rates(0, 32_400, 60), ...rates(39_600, 86_400, 70) },
        ...rates(64_800, 66_600, 141),
      },
    })),
  },
});

const slider = (page: Page) => page.getByRole('slider', { name: 'Time of the day' });
const title = (page: Page, text: string) => page.getByRole('heading', { name: text, level: 2 });
const lane = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Lanes of the day' }).getByRole('listitem').filter({ hasText: name });
const text = async (page: Page) =>
  (await slider(page).getAttribute('aria-valuetext'))?.replaceAll('\u202f', ' ');

t.test('without data of today, the newest day is shown by the clock of the user, and says so', async (t) => {
  const { page, complaints } = await openAt(`/users/${wearer}`, timezoneId);
  await title(page, long(dateOf(1))).waitFor();
  await page.getByText(`this is ${long(dateOf(1))}, the newest day with data`).waitFor();
  await page.getByRole('link', { name: 'Day', exact: true }).first().waitFor();
  const said = async (name: string) => (await lane(page, name).innerText()).replaceAll(/\s+/g, ' ');
  t.match(await said('Heart rate'), /from 60 to 141 bpm, mean 68, highest at 6:00 PM.* Garmin$/);
  t.match(await said('Sleep'), /7 h 48 min asleep from 10:52 PM to 6:40 AM Garmin/);
  t.match(await said('Workouts'), /At home, 30 min Garmin/);
  await page
    .locator('.day-missing')
    .getByText(/8:55\sAM to 11:00\sAM \(2 h 5 min\)/)
    .waitFor();
  const facts = page.getByRole('complementary', { name: 'What the day says' });
  t.match(
    (await facts.innerText()).replaceAll(/\s+/g, ' '),
    /Activity Garmin Steps 5,000 .*Bed time 10:52 PM Awake at 6:40 AM.*At rest 52 bpm/,
  );
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('keys and the pointer read all values of a minute, and the table has the same', async (t) => {
  const { page, complaints } = await openAt(`/users/${wearer}/day?date=${dateOf(1)}`, timezoneId);
  await slider(page).focus();
  await page.keyboard.press('Home');
  t.equal(await text(page), '12:00 AM: heart rate 60 bpm, light sleep');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  t.match(await text(page), /^12:16 AM: /);
  await page.keyboard.press('End');
  t.equal(await slider(page).getAttribute('aria-valuenow'), '1439');
  for (let hour = 0; hour < 6; hour += 1) await page.keyboard.press('PageDown');
  await page.keyboard.press('Shift+ArrowLeft');
  t.equal(await text(page), '5:44 PM: heart rate 70 bpm');
  for (let quarter = 0; quarter < 2; quarter += 1) await page.keyboard.press('Shift+ArrowRight');
  t.equal(await text(page), '6:14 PM: heart rate 141 bpm, running');
  const panel = page.locator('.day-panel');
  t.match(
    (await panel.innerText()).replaceAll(/\s+/g, ' '),
    /Time 6:14 PM Heart rate 141 bpm Sleep Workout At home/,
  );
  t.equal(await panel.getAttribute('aria-live'), 'polite');
  const box = await page.locator('.day-area').boundingBox();
  const height = (await panel.boundingBox())?.height;
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * (10 / 24), (box?.y ?? 0) + 60);
  t.match(await text(page), /^(10:00|9:59) AM: nothing is known$/);
  t.equal((await panel.boundingBox())?.height, height);
  await page.getByText('Values of every 15 minutes as a table').click();
  const row = page.getByRole('row').filter({ hasText: /^6:15\sPM/ });
  t.match((await row.innerText()).replaceAll(/\s+/g, ' '), /6:15 PM 141 bpm At home/);
  t.strictSame(complaints, []);
});

t.test('a day leads to the days beside it, and the way back is the way that was gone', async (t) => {
  const { page, complaints } = await openAt(`/users/${wearer}/day?date=${dateOf(2)}`, timezoneId);
  await lane(page, 'next night from 10:52').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('link', { name: 'Previous day' }).click();
  await title(page, long(dateOf(3))).waitFor();
  await lane(page, 'Heart rate').waitFor();
  const ofDay = requests.filter((url) => url.includes(wearer) && !url.includes('/changes'));
  t.ok(ofDay.length <= 5 || dateOf(3).slice(0, 7) !== dateOf(2).slice(0, 7), ofDay.join(' '));
  await page.keyboard.press(']');
  await title(page, long(dateOf(2))).waitFor();
  await page.keyboard.press(']');
  await title(page, long(dateOf(1))).waitFor();
  t.match(page.url(), `date=${dateOf(1)}`);
  await page.goBack();
  await title(page, long(dateOf(2))).waitFor();
  await page.keyboard.press('[');
  await title(page, long(dateOf(3))).waitFor();
  await page.getByRole('link', { name: 'Today', exact: true }).click();
  await title(page, long(dateOf(0))).waitFor();
  t.equal(await page.getByRole('link', { name: 'Next day' }).count(), 0);
  t.strictSame(complaints, []);
});

t.test('a square of the month says how much of a day is there, and leads to it', async (t) => {
  const { page, complaints } = await openAt(`/users/${wearer}/day?date=${dateOf(0)}`, timezoneId);
  const month = page.getByRole('region', { name: 'Days of the month' });
  if (dateOf(1).slice(0, 7) !== dateOf(0).slice(0, 7))
    await month.getByRole('button', { name: 'Earlier month' }).click();
  await month.getByRole('link', { name: `${long(dateOf(1))}: much data` }).click();
  await lane(page, 'Workouts').waitFor();
  await month.getByRole('button', { name: 'Earlier month' }).click();
  t.match(page.url(), /month=\d{4}-\d\d/);
  await page.getByRole('link', { name: 'At home' }).click();
  await page.waitForURL(/\/workouts\/[\w-]+$/);
  t.strictSame(complaints, []);
});

t.test('a week and a month show their days in small, and each leads to its day', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/day?view=week`);
  const days = page.locator('.days-view li');
  await days.first().waitFor();
  t.equal(await days.count(), 7);
  await page.getByText('heart rate from').waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: 'Month' }).click();
  await days.nth(27).waitFor({ state: 'attached' });
  await page.setViewportSize({ width: 360, height: 800 });
  t.strictSame(await page.evaluate(tooWide), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Previous month' }).click();
  await days.first().getByRole('link').click();
  await page.waitForURL(/date=\d{4}-\d\d-01$/);
  t.strictSame(complaints, []);
});

t.test('the day of a simulated user fits a phone, in the dark, without names of the API', async (t) => {
  const { page, complaints } = await openAt(null);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${root}/users/${userId}`);
  await lane(page, 'Heart rate').waitFor();
  t.strictSame(await page.evaluate(tooWide), []);
  t.notMatch(await textOf(page), apiNames);
  const further = page.getByRole('button', { name: /^Hide / });
  await further.click();
  await page.getByRole('button', { name: /^Show / }).waitFor();
  t.match(page.url(), 'lanes=few');
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('a user without data is told what fills the day', async (t) => {
  const id = await createUser(api, { first_name: 'Nobody' });
  const { page, complaints } = await openAt(`/users/${id}`);
  await page.getByText('data arrives once an account is connected').waitFor();
  t.equal(await slider(page).count(), 0);
  t.strictSame(complaints, []);
});

t.test('the opened day stays when data of a later one arrives', async (t) => {
  const { page, complaints } = await openAt(`/users/${wearer}`, timezoneId);
  const newest = page.getByText('the newest day with data');
  await newest.waitFor();
  await lane(page, 'Workouts').waitFor();
  const today = { ...common, summaryId: 'day-0', calendarDate: dateOf(0), steps: 100 };
  const dailies = [{ ...today, startTimeInSeconds: local(0, '00:00'), durationInSeconds: 60 }];
  const headers = { 'devicemaker-client-id': 'sandbox-devicemaker' };
  await api.expect(200, '/webhooks/devicemaker/push', { headers, body: { dailies } });
  await newest.waitFor({ state: 'detached' });
  await title(page, long(dateOf(1))).waitFor();
  await lane(page, 'Workouts').waitFor();
  t.strictSame(complaints, []);
});
