import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { dayMs, hourMs, localDate } from '../../domain/time/time.ts';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { chromiumMissing, findChromium } from '../../stack/packages/find-chromium.ts';
import { type Frames, framesDuring, scrollThrough } from '../browser/frames.ts';
import { insertRecentRecords } from '../browser/recent-records.ts';
import { timeOfAction, timeOfNavigation } from '../browser/timings.ts';
import { signInBrowser } from '../browser/visits.ts';
import { insertSamples, insertSeries } from '../dataset/insert-samples.ts';
import { insertUsers } from '../dataset/insert-users.ts';
import type { Plan } from '../dataset/plan.ts';
import type { Line } from '../lines.ts';
import type { Measurement } from '../measurement.ts';
import type { Goal, Single } from '../row.ts';

const clicks = 10;
/** The days of the clicks, the one that is open first, and one for a first click that is not counted. */
const days = clicks + 2;
const endpoints = 1000;
const scrollSteps = 120;

const fluid: Goal = { least: 0.9 };
const usable: Goal = { most: 1000 };

/** Days, zoom and long lists of the console: how soon they are painted, and how they move. */
export const frames: Measurement = {
  name: 'frames',
  title: 'The console in motion',
  hasOwnData: true,
  async *lines({ plan, say, sizes, startEmpty, use }) {
    if (findChromium() === null) return yield `Not measured: ${chromiumMissing}.`;
    yield `Chromium beside the services, 1440 x 900. A user with a heart rate every second; ${sizes.users.toLocaleString('en')} users; an answer with ${endpoints.toLocaleString('en')} webhook endpoints. Painted: from the click or the start of the navigation. In time: the share of frames that follow the one before within 17 ms, with the longest task of the main thread, by a trace. The load is that of the machine over the last minute.`;
    await buildConsole(say);
    const { product, pool } = await startEmpty('frames');
    await fill(pool, plan, sizes.users);
    const example = await product.post('/webhook-endpoints', { url: 'https://app.example/hooks' });
    const signedIn = use(await signInBrowser(product));
    const user = `${signedIn.root}/users/${plan.hertzId}`;
    yield* await signedIn.visit((page) => dayByDay(page, user));
    yield* await signedIn.visit((page) => zoomAndDrag(page, user));
    yield* await signedIn.visit((page) =>
      longList(page, `list of ${sizes.users.toLocaleString('en')} users`, `${signedIn.root}/users`),
    );
    yield* await signedIn.visit(async (page) => {
      await answerEndpoints(page, example);
      return longList(
        page,
        `list of ${endpoints.toLocaleString('en')} endpoints`,
        `${signedIn.root}/webhooks`,
      );
    });
  },
};

async function fill(pool: pg.Pool, { hertzId, hertz }: Plan, users: number): Promise<void> {
  await insertUsers(pool, users, [hertzId]);
  const cohort = await insertSeries(pool, { ...hertz, everySeconds: 1, zoneOffsetMinutes: 0 });
  // Up to now: the chart begins with the last 24 hours, and zooms into their middle.
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  await insertSamples(pool, cohort, hour - days * dayMs, hour);
  await insertRecentRecords(pool, hertzId);
  await pool.query('analyze');
}

const load = () => `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
const painted = (what: string, value: number | readonly number[], goal: Goal): Single => ({
  what: `${what}: painted`,
  value,
  unit: 'ms',
  goal,
  note: load(),
});
const moved = (what: string, { inTime, frames: count, longestTaskMs }: Frames): Single => ({
  what: `${what}: frames in time`,
  value: inTime,
  unit: '',
  goal: fluid,
  note: `of ${count}, longest task ${Math.round(longestTaskMs)} ms, ${load()}`,
});

const shown = 'document.querySelector(".day-body[aria-busy=false] .tone-0 .line")';
const title = 'document.querySelector(".day-title h2").textContent';

async function dayByDay(page: Page, user: string): Promise<Line[]> {
  const date = localDate(Date.now() - dayMs, 0);
  const opened = await timeOfNavigation(page, `${user}?date=${date}`, shown);
  const took: number[] = [];
  for (let click = 0; click <= clicks; click++) {
    const previous = `const before = ${title}; document.querySelector(".day-steps a").click()`;
    took.push(await timeOfAction(page, previous, `${title} !== before && ${shown}`));
  }
  return [
    painted('page of a user with the newest day', opened, usable),
    painted(`click on a day, ${clicks} days`, took.slice(1), { most: 300 }),
  ];
}

const chart = '[aria-busy=false] > figure > .plot canvas';

async function zoomAndDrag(page: Page, user: string): Promise<Line[]> {
  await page.goto(`${user}/data`);
  await page.locator(chart).first().waitFor();
  const zoomed = await framesDuring(page, async () => {
    for (const name of ['Week', 'Day', 'Zoom in', 'Zoom in', 'Zoom out', 'Day']) {
      await page.getByRole('button', { name, exact: true }).click();
      await sleep(300);
      await page.locator(chart).first().waitFor();
    }
  });
  const dragged = await framesDuring(page, () => drag(page));
  return [moved('zoom of the data, six steps', zoomed), moved('drag over the chart', dragged)];
}

async function drag(page: Page): Promise<void> {
  const box = await page.locator('.plot .u-over').first().boundingBox();
  if (box === null) throw new Error('the chart is not shown');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 20, y);
  await page.mouse.down();
  for (let step = 1; step <= 60; step++) {
    await page.mouse.move(box.x + 20 + (step * (box.width - 40)) / 60, y);
    await sleep(16);
  }
  await page.mouse.up();
  await page.locator(chart).first().waitFor();
}

async function answerEndpoints(page: Page, example: unknown): Promise<void> {
  const body = Array.from({ length: endpoints }, (_, index) => ({
    ...z.looseObject({}).parse(example),
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    url: `https://app-${index}.example/hooks/pulsebus`,
    ...(index % 10 === 0 ? { messages_waiting: index, oldest_waiting_message_seconds: index * 60 } : {}),
  }));
  await page.route('**/api/v1/webhook-endpoints', (route) => route.fulfill({ json: body }));
}

async function longList(page: Page, what: string, url: string): Promise<Line[]> {
  const opened = await timeOfNavigation(page, url, 'document.querySelector("main tbody tr")');
  const scrolled = await framesDuring(page, () => scrollThrough(page, scrollSteps));
  const nodes = z.number().parse(await page.evaluate('document.querySelectorAll("*").length'));
  return [
    painted(what, opened, usable),
    moved(`${what}, scrolled to the end and back`, scrolled),
    { what: `${what}: elements of the page`, value: nodes, unit: '' },
  ];
}
