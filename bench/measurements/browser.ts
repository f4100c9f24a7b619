import type { Page } from 'playwright-core';
import { isoTime } from '../../domain/time/time.ts';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { chromiumMissing, findChromium } from '../../stack/packages/find-chromium.ts';
import { insertRecentRecords, removeRecentRecords } from '../browser/recent-records.ts';
import { loadedBytes, timeOfAction, timeOfNavigation } from '../browser/timings.ts';
import { type SignedIn, signInBrowser } from '../browser/visits.ts';
import { startMs } from '../dataset/plan.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { readUsers } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { type Goal, type Single, shown } from '../row.ts';

const usable: Goal = { most: 1000 };

/** The pages of the console by Chromium's own clock. */
export const browser: Measurement = {
  name: 'browser',
  title: 'The console in a browser',
  async *lines(bench) {
    if (findChromium() === null) return yield `Not measured: ${chromiumMissing}.`;
    const { onEnd, plan, pool, product, say, sizes, use } = bench;
    const samples = Math.round((plan.endMs - startMs) / 1000 / sizes.hertzEverySeconds);
    yield `Chromium beside the services, 1440 x 900, an empty cache at each visit. From the start of the navigation (of an action: from the click or the last key) until the frame in which it is drawn. ${samples.toLocaleString('en')} heart rates of one user, 30 nights and 30 workouts; ${sizes.users.toLocaleString('en')} users. Medians of ${sizes.rounds}.`;
    await buildConsole(say);
    await insertRecentRecords(pool, plan.hertzId);
    onEnd(() => removeRecentRecords(pool, plan.hertzId));
    const signedIn = use(await signInBrowser(product));
    const [rounds = []] = await inRounds(sizes.rounds, [() => visitAll(bench, signedIn)]);
    for (const [index, figure] of (rounds[0] ?? []).entries()) {
      const value = rounds.map((visit) => visit[index]?.value ?? Number.NaN);
      const notes = new Set(rounds.map((visit) => visit[index]?.note ?? ''));
      yield { ...figure, value, note: [...notes].join(' ').trim() };
    }
  },
};

interface Figure extends Single {
  readonly value: number;
}

async function visitAll(bench: Bench, signedIn: SignedIn): Promise<Figure[]> {
  return [
    ...(await signedIn.visitAsGuest((page) => firstLoad(page, signedIn.root))),
    ...(await signedIn.visit((page) => yearAndZoom(page, bench, signedIn.root))),
    ...(await signedIn.visit((page) => listOfUsers(page, bench, signedIn.root))),
  ];
}

const timed = (what: string, value: number, note?: string): Figure => ({
  what,
  value,
  unit: 'ms',
  goal: usable,
  note,
});
const counted = (what: string, value: number, most: number): Figure => ({
  what,
  value,
  unit: '',
  goal: { most },
});

async function firstLoad(page: Page, root: string): Promise<Figure[]> {
  const ms = await timeOfNavigation(page, root, 'document.querySelector("form button[type=submit]")');
  const bytes = await loadedBytes(page);
  return [
    timed('first load until the sign-in is usable', ms),
    { ...counted('first load: bytes, compressed', bytes, 100_000), unit: 'bytes' },
  ];
}

const chart = 'document.querySelector("[aria-busy=false] > figure > .plot canvas")';
const spanText = 'document.querySelector(".spans [role=status]").textContent';
const zoomIn = `const before = ${spanText};
  [...document.querySelectorAll(".spans button")].find((one) => one.textContent === "Zoom in").click()`;
const steps = 6;
const shortest = '1 min';

async function yearAndZoom(page: Page, { plan, sizes }: Bench, root: string): Promise<Figure[]> {
  let documents = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents += 1;
  });
  const range = `from=${isoTime(startMs)}&to=${isoTime(plan.endMs)}`;
  const ms = await timeOfNavigation(page, `${root}/users/${plan.hertzId}/data?${range}`, chart);
  const zooms: Figure[] = [];
  const points = [await pointsShown(page)];
  for (let step = 1; step <= steps && spanOf(page) !== shortest; step++) {
    const took = await timeOfAction(page, zoomIn, `${chart} && ${spanText} !== before`);
    points.push(await pointsShown(page));
    zooms.push(timed(`zoom, step ${step}: ${spanOf(page)}`, took, await bucketShown(page)));
  }
  if (spanOf(page) !== shortest) throw new Error(`${steps} steps lead to ${spanOf(page)}, not to a minute`);
  return [
    timed(`user page until the chart of ${sizes.days} days is drawn`, ms),
    ...zooms,
    counted('documents that were loaded meanwhile', documents, 1),
    counted('most points of a chart', Math.max(...points), 2000),
  ];
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
const type = (text: string) => `const input = document.querySelector("input[type=search]");
  input.value = "${text}"; input.dispatchEvent(new Event("input", { bubbles: true }))`;

async function listOfUsers(page: Page, { product, sizes }: Bench, root: string): Promise<Figure[]> {
  const { items } = await readUsers(product, 'limit=1&sort_by=email&sort_order=asc&page=42');
  const email = items[0]?.email ?? '';
  const end = `${root}/users?page=${Math.ceil(sizes.users / 25)}`;
  const first = await timeOfNavigation(page, `${root}/users`, list);
  const last = await timeOfAction(page, click('Last'), `${list} && ${firstCell} !== before`);
  const found = await timeOfAction(page, type(email), `${list} && ${firstCell} === "${email}"`);
  const opened = await timeOfNavigation(page, end, list);
  return [
    timed(`list of ${sizes.users.toLocaleString('en')} users`, first),
    timed('its last page, by the button', last),
    timed('search for an address, with a pause of 200 ms', found),
    timed('its last page, by the address', opened),
  ];
}
