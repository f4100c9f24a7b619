import type { Page } from 'playwright-core';
import { z } from 'zod';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { chromiumMissing, findChromium } from '../../stack/packages/find-chromium.ts';
import type { Bench, Measurement } from '../bench.ts';
import { insertRecentRecords, removeRecentRecords } from '../browser/recent-records.ts';
import { loadedBytes, timeOfAction, timeOfNavigation } from '../browser/timings.ts';
import { type SignedIn, signInBrowser } from '../browser/visits.ts';
import { startMs } from '../dataset/plan.ts';
import { figuresOf } from '../rounds.ts';
import { type Goal, type Row, shown, singleRow } from '../row.ts';

const usable: Goal = { most: 1000 };
const title = 'The console in a browser';

/** The pages of the console by Chromium's own clock. */
export const browser: Measurement = {
  name: 'browser',
  async run(bench) {
    if (findChromium() === null) return { title, about: `Not measured: ${chromiumMissing}.`, rows: [] };
    await buildConsole(bench.say);
    await insertRecentRecords(bench.pool, bench.plan.hertzId);
    const signedIn = await signInBrowser(bench.product);
    try {
      const samples = Math.round((bench.plan.endMs - startMs) / 1000 / bench.sizes.hertzEverySeconds);
      return {
        title,
        about: `Chromium beside the services, 1440 x 900, an empty cache at each visit. From the start of the navigation (of an action: from the click or the last key) until the frame in which it is drawn. ${samples.toLocaleString('en')} heart rates of one user, 30 nights and 30 workouts; ${bench.sizes.users.toLocaleString('en')} users. Medians of ${bench.sizes.rounds}, in brackets the least and the largest.`,
        rows: await measure(bench, signedIn),
      };
    } finally {
      await signedIn.stop();
      await removeRecentRecords(bench.pool, bench.plan.hertzId);
    }
  },
};

async function measure(bench: Bench, signedIn: SignedIn): Promise<Row[]> {
  const rounds: Visit[] = [];
  await visitAll(bench, signedIn); // does not count: plans and caches of the services are cold
  for (let round = 0; round < bench.sizes.rounds; round++) rounds.push(await visitAll(bench, signedIn));
  const [first] = rounds;
  if (first === undefined) throw new Error('there was no round');
  return first.map(({ what, unit, goal }, index) => {
    const values = rounds.map((visit) => visit[index]?.value ?? Number.NaN);
    const notes = new Set(rounds.map((visit) => visit[index]?.note ?? ''));
    const range = `(${shown(Math.min(...values))}-${shown(Math.max(...values))})`;
    const note = [...(values.length > 1 ? [range] : []), ...notes].join(' ').trim();
    return singleRow({ what, value: figuresOf(values).median, unit, note, ...(goal ? { goal } : {}) });
  });
}

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 'bytes' | '';
  readonly goal?: Goal;
  readonly note?: string;
}
type Visit = readonly Figure[];

async function visitAll(bench: Bench, signedIn: SignedIn): Promise<Visit> {
  return [
    ...(await signedIn.visitAsGuest((page) => firstLoad(page, signedIn.root))),
    ...(await signedIn.visit((page) => yearAndZoom(page, bench, signedIn.root))),
    ...(await signedIn.visit((page) => listOfUsers(page, bench, signedIn.root))),
  ];
}

async function firstLoad(page: Page, root: string): Promise<Visit> {
  const value = await timeOfNavigation(page, root, 'document.querySelector("form button[type=submit]")');
  const bytes = { value: await loadedBytes(page), unit: 'bytes', goal: { most: 100_000 } } as const;
  return [
    { what: 'first load until the sign-in is usable', value, unit: 'ms', goal: usable },
    { what: 'first load: bytes, compressed', ...bytes },
  ];
}

const chart = 'document.querySelector("[aria-busy=false] > figure > .plot canvas")';
const spanText = 'document.querySelector(".spans [role=status]").textContent';
const zoomIn = `const before = ${spanText};
  [...document.querySelectorAll(".spans button")].find((one) => one.textContent === "Zoom in").click()`;
const steps = 6;
const shortest = '1 min';

async function yearAndZoom(page: Page, { plan, sizes }: Bench, root: string): Promise<Visit> {
  const [from, to] = [startMs, plan.endMs].map((ms) => new Date(ms).toISOString());
  const documents = countDocuments(page);
  const value = await timeOfNavigation(page, `${root}/users/${plan.hertzId}?from=${from}&to=${to}`, chart);
  const zooms: Figure[] = [];
  const points = [await pointsShown(page)];
  for (let step = 1; step <= steps && spanOf(page) !== shortest; step++) {
    const took = await timeOfAction(page, zoomIn, `${chart} && ${spanText} !== before`);
    points.push(await pointsShown(page));
    const what = `zoom, step ${step}: ${spanOf(page)}`;
    zooms.push({ what, value: took, unit: 'ms', goal: usable, note: await bucketShown(page) });
  }
  if (spanOf(page) !== shortest) throw new Error(`${steps} steps lead to ${spanOf(page)}, not to a minute`);
  const what = `user page until the chart of ${sizes.days} days is drawn`;
  return [
    { what, value, unit: 'ms', goal: usable },
    ...zooms,
    { what: 'documents that were loaded meanwhile', value: documents(), unit: '', goal: { most: 1 } },
    { what: 'most points of a chart', value: Math.max(...points), unit: '', goal: { most: 2000 } },
  ];
}

function countDocuments(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) count += 1;
  });
  return () => count;
}

const bucketShown = (page: Page) => page.locator('figcaption .faint').first().innerText();

async function pointsShown(page: Page): Promise<number> {
  return Number(/(\d+) points/.exec(await bucketShown(page))?.[1]);
}

/** The length of the span in the address of the page. */
function spanOf(page: Page): string {
  const { searchParams } = new URL(page.url());
  const [from = Number.NaN, to = Number.NaN] = ['from', 'to'].map((name) =>
    Date.parse(searchParams.get(name) ?? ''),
  );
  const minutes = (to - from) / 60_000;
  if (minutes < 120) return `${shown(minutes)} min`;
  return minutes < 2880 ? `${shown(minutes / 60)} h` : `${shown(minutes / 1440)} d`;
}

const list = 'document.querySelector("main [aria-busy=false] tbody tr")';
const firstCell = 'document.querySelector("main tbody tr td:nth-child(3)")?.textContent';
const click = (name: string) =>
  `const before = ${firstCell}; [...document.querySelectorAll(".pages button")].find((one) => one.textContent === "${name}").click()`;
const Address = z.object({ items: z.tuple([z.object({ email: z.string() })]) });

async function listOfUsers(page: Page, { product, sizes }: Bench, root: string): Promise<Visit> {
  const path = '/users?limit=1&sort_by=email&sort_order=asc&page=42';
  const { email } = Address.parse(await product.get(path)).items[0];
  const type = (text: string) => `const input = document.querySelector("input[type=search]");
    input.value = "${text}"; input.dispatchEvent(new Event("input", { bubbles: true }))`;
  const users = `${sizes.users.toLocaleString('en')} users`;
  const first = await timeOfNavigation(page, `${root}/users`, list);
  const last = await timeOfAction(page, click('Last'), `${list} && ${firstCell} !== before`);
  const found = await timeOfAction(page, type(email), `${list} && ${firstCell} === "${email}"`);
  const end = `${root}/users?page=${Math.ceil(sizes.users / 25)}`;
  const opened = await timeOfNavigation(page, end, list);
  return [
    { what: `list of ${users}`, value: first, unit: 'ms', goal: usable },
    { what: 'its last page, by the button', value: last, unit: 'ms', goal: usable },
    { what: 'search for an address, with a pause of 200 ms', value: found, unit: 'ms', goal: usable },
    { what: 'its last page, by the address', value: opened, unit: 'ms', goal: usable },
  ];
}
