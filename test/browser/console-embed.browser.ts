// npm run test:browser: a person's day within a page of another origin.
import { createServer } from 'node:http';
import type { Frame, Page, Response } from 'playwright-core';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { createWearer } from '../support/api.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { apiNames, sharedConsole, tooWide, violations } from './console.ts';

const { api } = await sharedConsole(t);
const { userId, account } = await createWearer(api);
const dayMs = 86_400_000;
const dateOf = (daysBefore: number) => new Date(Date.now() - daysBefore * dayMs).toISOString().slice(0, 10);
const common = { userId: account, startTimeOffsetInSeconds: 0 };
const secondsOf = (clock: string) => Date.parse(`${dateOf(1)}T${clock}:00Z`) / 1000;
await api.expect(200, '/webhooks/devicemaker/push', {
  headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  body: {
    activities: [
      {
        ...{ ...common, summaryId: 'run', activityId: 1, activityName: 'At home', activityType: 'RUNNING' },
        ...{ startTimeInSeconds: secondsOf('18:00'), durationInSeconds: 1800, distanceInMeters: 5000 },
      },
    ],
    dailies: [1, 2].map((daysBefore) => ({
      ...{ ...common, summaryId: `day-${daysBefore}`, calendarDate: dateOf(daysBefore), steps: 5000 },
      startTimeInSeconds: Date.parse(`${dateOf(daysBefore)}T00:00:00Z`) / 1000,
      durationInSeconds: 86_400,
      timeOffsetHeartRateSamples: Object.fromEntries(
        Array.from({ length: 288 }, (_, index) => [index * 300, 60 + daysBefore]),
      ),
    })),
  },
});

const long = (date: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' },
  }).format(Date.parse(date));

/** A page of an application, which shows the address of its query. `localhost` is another site than the gateway's. */
async function playPage(t: Test): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const src = new URL(url, 'http://localhost').searchParams.get('src') ?? '';
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(
      `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><h1>App</h1><iframe title="Health data by day" src="${src}" width="100%" height="900"></iframe></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://localhost:${z.object({ port: z.int() }).parse(server.address()).port}`;
}

async function embedFor(origin: string): Promise<string> {
  const body = { user_id: userId, origins: [origin] };
  const answer = await api.ask('/api/v1/console/embeds', { token: api.developerToken, body });
  return z.object({ url: z.string() }).parse(answer.body).url;
}

const within = (origin: string, src: string) => `${origin}/?src=${encodeURIComponent(src)}`;

function frameOf(page: Page): Frame {
  const [frame] = page.mainFrame().childFrames();
  if (frame === undefined) throw new Error('the page has no frame');
  return frame;
}

const title = (frame: Frame, text: string) => frame.getByRole('heading', { name: text, level: 2 });

t.test('a page of a listed origin shows the day, its week and the days around it', async (t) => {
  const origin = await playPage(t);
  const url = await embedFor(origin);
  const { page, complaints } = await openPage(t, await startBrowser());
  const refused: string[] = [];
  page.on('response', (response: Response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    if (![api.url, origin].includes(new URL(request.url()).origin) && !request.url().startsWith('data:'))
      complaints.push(`requests ${request.url()}`);
    if (request.headers().cookie !== undefined || request.headers().referer?.includes('embed'))
      complaints.push(`sends what it should not to ${request.url()}`);
  });
  await page.setViewportSize({ width: 360, height: 900 });
  await page.clock.install();
  await page.goto(within(origin, `${url}?theme=dark`));
  const frame = frameOf(page);
  await title(frame, long(dateOf(1))).waitFor();
  await frame.getByText('from 61 to 61 bpm', { exact: false }).waitFor();
  const text = await frame.locator('body').innerText();
  t.match(text, /Garmin/);
  t.notMatch(text, apiNames);
  t.match(text, /At home/);
  const links = await frame
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  const { pathname } = new URL(url);
  t.ok(links.length > 5);
  t.strictSame(
    links.filter((href) => !href?.startsWith(`${pathname}?`)),
    [],
    'links lead to days only',
  );
  t.strictSame(await violations(frame), []);
  t.strictSame(await frame.evaluate(tooWide), []);
  t.equal(
    await frame.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
    'rgb(16, 23, 26)',
  );
  t.equal(await frame.evaluate('document.cookie'), '');

  await frame.getByRole('link', { name: 'Previous day' }).click();
  await title(frame, long(dateOf(2))).waitFor();
  t.match(frame.url(), `?theme=dark&date=${dateOf(2)}`);
  await frame.getByText('from 62 to 62 bpm', { exact: false }).waitFor();
  await page.evaluate('history.back()');
  await title(frame, long(dateOf(1))).waitFor();
  await frame.getByRole('link', { name: 'Week', exact: true }).click();
  // A square of the month has a colon after its date.
  await frame.getByRole('link', { name: new RegExp(`^${long(dateOf(2))}(?!:)`) }).click();
  await title(frame, long(dateOf(2))).waitFor();
  t.strictSame([complaints, refused], [[], []]);

  const renewed = page.waitForRequest((request) => request.url().includes('/timeseries/chart'));
  await page.clock.fastForward(60_000);
  t.match((await renewed).headers().authorization, /^Bearer /);
  await api.ask('/api/v1/auth/revoke', { body: { token: pathname.split('/').at(-1) } });
  await page.clock.fastForward(60_000);
  await frame.getByText('This view has expired. Reload the page that contains it.').waitFor();
});

t.test('the browser shows it within no page of another origin', async (t) => {
  const [listed, other] = [await playPage(t), await playPage(t)];
  const { page } = await openPage(t, await startBrowser());
  const url = await embedFor(listed);
  for (const [origin, src] of [
    [other, url],
    [listed, `${url}x`],
    [listed, `${api.url}/console`],
  ] as const) {
    const refusal = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
    await page.goto(within(origin, src));
    await refusal;
    t.notMatch(frameOf(page).url(), '/console', src);
  }
});
