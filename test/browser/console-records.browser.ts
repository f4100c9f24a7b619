// npm run test:browser: the pages of nights and workouts in the console, their lists, the body, and the choice of units.
import type { Page } from 'playwright-core';
import t from 'tap';
import { createWearer } from '../support/api.ts';
import { apiNames, audited, sharedConsole, textOf, tooWide, violations } from './console.ts';

const { api, root, userId, openAt } = await sharedConsole(t);
const narrow = { width: 360, height: 800 };

/** Opens the first night with stages from the list of its month. */
async function openNight(page: Page): Promise<void> {
  const night = page.locator('.night-row:has(rect.deep)').first();
  await night.getByRole('link').first().click();
  await page.getByRole('heading', { name: /^Night to/ }).waitFor();
}

t.test('the nights of a month are bars that lead to their pages; the month is in the address', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/sleep`);
  await page.locator('.night-row:has(rect.deep)').first().waitFor();
  t.match(
    await page.getByText(/asleep on average/).innerText(),
    /^\d+ nights?, \d h.* from \d+:\d\d .M to \d+:\d\d .M\.$/,
  );
  t.match(
    await page.locator('.night-bar').first().getAttribute('aria-label'),
    /^(Asleep|Nap) from|^No sleep$/,
  );
  t.strictSame(await violations(page), []);
  const title = page.getByRole('heading', { name: /^Sleep in/ });
  const thisMonth = await title.innerText();
  await page.getByRole('button', { name: 'Previous month' }).click();
  t.match(page.url(), /month=\d{4}-\d\d/);
  t.not(await title.innerText(), thisMonth);
  await page.goBack();
  await page.getByRole('heading', { name: thisMonth }).waitFor();
  await openNight(page);
  t.match(page.url(), /\/sleep\/[0-9a-f-]{36}$/);
  t.strictSame(complaints, []);
});

t.test('a night has its stages, lines, timings and scores, and one cursor over all lanes', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/sleep`);
  await openNight(page);
  const lanes = page.locator('figure.lanes');
  await lanes
    .getByRole('img', { name: /^Heart rate from \d+ bpm to \d+ bpm, mean \d+ bpm, highest at/ })
    .waitFor();
  const stages = lanes.getByRole('img', { name: /^Stages of sleep from/ });
  t.ok((await stages.locator('rect').count()) > 5);
  const slider = lanes.getByRole('slider', { name: 'Time' });
  await slider.focus();
  await page.keyboard.press('Shift+ArrowRight');
  t.match(await slider.getAttribute('aria-valuetext'), /^\d+:\d\d .M: Stages \w+, Heart rate \d+ bpm/);
  t.equal(await lanes.locator('line.cursor').count(), await lanes.locator('svg.lane').count());
  await page.keyboard.press('Escape');
  t.equal(await lanes.locator('line.cursor').count(), 0);
  await lanes.getByText('as a table').click();
  await lanes.locator('tbody tr').nth(10).waitFor();
  t.match(await page.getByRole('region', { name: 'Time in each stage' }).innerText(), /Deep\s+.*min\s+\d+ %/);
  t.match(await page.getByRole('region', { name: 'Timings' }).innerText(), /In bed\s+\d+ h/);
  await page.getByRole('region', { name: 'Scores of the day, table' }).waitFor();
  t.notMatch(await textOf(page), apiNames);
  t.strictSame(await violations(page), []);
  const url = page.url();
  await page.getByRole('link', { name: 'Previous night' }).click();
  await page.waitForURL((to) => to.href !== url);
  await page.goBack();
  await page.waitForURL(url);
  await page.setViewportSize(narrow);
  await lanes.waitFor();
  t.strictSame(await page.evaluate(tooWide), []);
  t.strictSame(complaints, []);
});

t.test('a workout that does not exist is said to be missing', async (t) => {
  const { page } = await openAt(`/users/${userId}/workouts/00000000-0000-4000-8000-000000000000`);
  const alert = page.getByRole('alert');
  await alert.waitFor();
  t.match(await alert.innerText(), 'The workout could not be loaded');
});

/** A user with a run of 2 km, whose route has positions, elevation and heart rate. */
async function runner(): Promise<string> {
  const { userId: id, account } = await createWearer(api);
  const startTimeInSeconds = Math.floor(Date.now() / 1000) - 86_400;
  const samples = Array.from({ length: 600 }, (_, second) => ({
    ...{ startTimeInSeconds: startTimeInSeconds + second, elevationInMeters: 40 + second / 50 },
    ...{ latitudeInDegree: 10 + second / 4e4, longitudeInDegree: 20 + (second % 200) / 4e4 },
    ...{ heartRate: 120 + Math.floor(second / 10), speedMetersPerSecond: 3 + second / 1800 },
  }));
  const common = {
    startTimeInSeconds,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 600,
    distanceInMeters: 2000,
  };
  const run = {
    activityType: 'RUNNING',
    activityName: 'Loop',
    averageHeartRateInBeatsPerMinute: 149,
    averagePaceInMinutesPerKilometer: 5,
    ...common,
  };
  const detail = { userId: account, summaryId: 'loop-detail', activityId: 1, summary: run, samples };
  const yoga = {
    activityType: 'YOGA',
    activityName: 'Calm',
    summaryId: 'calm',
    activityId: 2,
    userId: account,
  };
  await api.expect(200, '/webhooks/devicemaker/push', {
    body: {
      activityDetails: [detail],
      activities: [
        { ...yoga, ...common, distanceInMeters: 0, startTimeInSeconds: startTimeInSeconds - 7200 },
      ],
    },
    headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  });
  return id;
}
const runnerId = await runner();

t.test('the workouts are listed by range and type, which the address has', async (t) => {
  const { page, complaints } = await openAt(`/users/${runnerId}/workouts`);
  const rows = page.getByRole('region', { name: 'Workouts, table' }).locator('tbody tr');
  await rows.nth(1).waitFor();
  await page.getByLabel('Type').selectOption({ label: 'Running (1)' });
  t.match(page.url(), /type=running/);
  t.equal(await rows.count(), 1);
  await page.goBack();
  await rows.nth(1).waitFor();
  await page.getByRole('button', { name: 'A year' }).click();
  t.match(page.url(), /range=1y/);
  t.strictSame(await violations(page), []);
  await page.setViewportSize(narrow);
  t.strictSame(await page.evaluate(tooWide), []);
  await page.getByRole('link', { name: 'Loop' }).click();
  await page.getByRole('heading', { name: 'Loop' }).waitFor();
  t.strictSame(complaints, []);
});

async function openLoop(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Loop' }).click();
  await page
    .locator('figure.lanes')
    .getByRole('img', { name: /^Heart rate from 120 bpm to 179 bpm/ })
    .waitFor();
}

t.test('a workout has figures, lanes, zones and splits, in the chosen units', async (t) => {
  const { page, complaints } = await openAt('/account');
  await page.getByLabel(/^Metric/).check();
  await page.goto(`${root}/users/${runnerId}/workouts`);
  await openLoop(page);
  t.match(
    await page.locator('.figures').innerText(),
    /Distance\s+2 km\s+Duration\s+10 min\s+Pace\s+5:00 min\/km/,
  );
  const zones = page.getByRole('region', { name: 'Heart rate zones' });
  await zones.getByText('Zones in tenths of 179 bpm, the highest heart rate of the year before.').waitFor();
  t.match(await zones.innerText(), /5 Maximum from 161 bpm\s+3 min/);
  const splits = page.getByRole('region', { name: 'Splits, table' }).locator('tbody tr');
  t.equal(await splits.count(), 2);
  const slider = page.getByRole('slider', { name: 'Time' });
  await slider.focus();
  await page.keyboard.press('End');
  t.match(await slider.getAttribute('aria-valuetext'), /Heart rate 179 bpm, Pace \d:\d\d min\/km/);
  await page.goto(`${root}/account`);
  await page.getByLabel(/^Imperial/).check();
  t.strictSame(await violations(page), []);
  await page.goto(`${root}/users/${runnerId}/workouts`);
  await openLoop(page);
  t.match(await page.locator('.figures').innerText(), /Distance\s+1\.24 mi/);
  t.strictSame(complaints, []);
});

t.test('the route is read on demand, coloured by a choice, and its read is audited', async (t) => {
  const { page, complaints } = await openAt(`/users/${runnerId}/workouts`);
  await openLoop(page);
  t.equal(await page.getByRole('img', { name: /^Shape of the route/ }).count(), 0, 'it is not read yet');
  await page.getByRole('button', { name: 'Show the route' }).click();
  const shape = page.getByRole('img', { name: /^Shape of the route, / });
  await shape.waitFor();
  t.ok((await shape.locator('path').count()) > 4);
  t.match(
    await page.locator('.route-legend').innerText(),
    /^Pace: slowest \d:\d\d min\/\w+, fastest \d:\d\d/,
  );
  await page
    .locator('figure.lanes')
    .getByRole('img', { name: /^Elevation from/ })
    .waitFor();
  await page.getByRole('button', { name: 'Heart rate', exact: true }).click();
  t.match(page.url(), /route=heart_rate$/);
  t.match(await page.locator('.route-legend').innerText(), /^Heart rate: lowest 12\d bpm, highest 17\d bpm/);
  t.strictSame(await violations(page), []);
  await page.goBack();
  await page.locator('.route-legend', { hasText: 'Pace' }).waitFor();
  await audited(api, 'user.exported', runnerId.slice(0, 8));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'GPX', exact: true }).click(),
  ]);
  t.match(download.suggestedFilename(), /\.gpx$/);
  await page.setViewportSize(narrow);
  t.strictSame(await page.evaluate(tooWide), []);
  t.strictSame(complaints, []);
});

t.test('the body has its latest values and a lane for each measurement', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/body`);
  await page
    .locator('figure.lanes')
    .getByRole('img', { name: /^Weight from/ })
    .first()
    .waitFor();
  t.match(await page.locator('.figures').innerText(), /Weight\s+\d+(\.\d)? (kg|lb)/);
  await page.locator('figure:has(.bars)').waitFor();
  t.strictSame(await violations(page), []);
  await page.setViewportSize(narrow);
  t.strictSame(await page.evaluate(tooWide), []);
  t.strictSame(complaints, []);
});
