import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import wholeRun, { type Test } from 'tap';
import { z } from 'zod';
import type { RawSettings } from '../../config.ts';
import { connectUsers } from '../../sandbox/connect/connect-users.ts';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { finishBackfills, type ProductWithSandbox, whole } from '../sandbox/product-with-sandbox.ts';
import { developer, type TestApi } from '../support/api.ts';
import { patienceMs, recordViolations, startBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { pictured } from './pictures.ts';

/** How a page is looked at. */
export interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  /** The time zone of the browser. Default: that of this machine. */
  readonly timezoneId?: string;
  /** The origin of the page. Default: that of the gateway, by its IP address. */
  readonly origin?: string;
}

/** A page of the console. */
interface Opened {
  readonly page: Page;
  /** What the browser reported: errors, violations of the policy, requests to other origins. */
  readonly complaints: string[];
}

/** The console in a browser. */
export interface Console {
  readonly api: TestApi;
  readonly product: ProductWithSandbox;
  readonly root: string;
  /** The first of the simulated users. */
  readonly userId: string;
  readonly receiverUrl: string;
  /** A page in a browser profile of the test's own, not logged in. */
  readonly openConsole: (t: Test, view?: View) => Promise<Opened>;
  /** The page that the tests of a time zone share, logged in, at a path below the console; null: empty. */
  readonly openAt: (path?: string | null, timezoneId?: string) => Promise<Opened>;
}

const usual: View = { colorScheme: 'light', width: 1440 };
let shared: Promise<Console> | undefined;

/**
 * The console with a simulated user, which the files of a process share. A file works with users of its own and does not
 * count what others have made. For pictures of the pages, a file has a console of its own with more users.
 */
export function sharedConsole(t: Test): Promise<Console> {
  if (pictured) return startConsole(t, [5, 0, 1, 2, 3]);
  shared ??= startConsole(wholeRun, [5]);
  return shared;
}

/** Starts the console with the data of simulated users, by their indexes. */
export async function startConsole(
  t: Test,
  who: readonly number[] = [],
  settings: RawSettings = {},
): Promise<Console> {
  const receiver = createServer((_, response) => response.writeHead(200).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => receiver.close());
  const { port } = z.object({ port: z.int() }).parse(receiver.address());
  const receiverUrl = `http://127.0.0.1:${port}`;

  await buildConsole(() => undefined);
  const product = await whole(t, who, {
    WEBHOOK_ENDPOINT_ORIGINS: receiverUrl,
    DESTINATION_HOSTS: `127.0.0.1:${port}`,
    RATE_LIMIT_DEVELOPER: '100000',
    ...settings,
  });
  const { api, connecting } = product;
  const connected = await connectUsers(connecting);
  await finishBackfills(product, connected);
  const userId = connected[0]?.user_id ?? '';
  const root = `${api.url}/console`;
  const openConsole = (test: Test, view: View = usual) => openView(test, api.url, view);
  const sessions = new Map<string, Promise<Opened>>();

  const openAt = async (path: string | null = '', timezoneId = ''): Promise<Opened> => {
    const session = sessions.get(timezoneId) ?? logIn(t, root, timezoneId);
    sessions.set(timezoneId, session);
    const { page, complaints } = await session;
    await leave(page);
    complaints.length = 0;
    if (path !== null) await page.goto(root + path);
    return { page, complaints };
  };

  return { api, product, root, userId, receiverUrl, openConsole, openAt };
}

async function logIn(t: Test, root: string, timezoneId: string): Promise<Opened> {
  const view = timezoneId === '' ? usual : { ...usual, timezoneId };
  const opened = await openView(t, new URL(root).origin, view);
  await opened.page.goto(root);
  await opened.page.getByLabel('E-mail address').fill(developer.email);
  await opened.page.getByLabel('Password').fill(developer.password);
  await opened.page.getByRole('button', { name: 'Log in' }).click();
  await opened.page.getByRole('heading', { name: 'Home' }).waitFor();
  return opened;
}

// Complaints of the page that a test leaves come before this is done.
async function leave(page: Page): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'wait' });
  await page.goto('about:blank');
  await page.emulateMedia({ colorScheme: usual.colorScheme });
  await page.setViewportSize({ width: usual.width, height: 900 });
}

async function openView(t: Test, gateway: string, view: View): Promise<Opened> {
  const { colorScheme, width, timezoneId, origin = gateway } = view;
  const browser = await startBrowser();
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    colorScheme,
    ...(timezoneId === undefined ? {} : { timezoneId }),
    viewport: { width, height: 900 },
    acceptDownloads: true,
  });
  t.teardown(() => context.close());
  const complaints: string[] = [];
  await recordViolations(context, complaints);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  page.on('console', (message) => {
    const { url } = message.location();
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`requests ${request.url()}`);
  });
  return { page, complaints };
}

/** The elements that make the page wider than the window. */
export const tooWide =
  "document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('main *, header *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest('.scroll') === null).map((one) => one.outerHTML.slice(0, 120))";

/** All text of a page that people read or that is read out. */
export async function textOf(page: Page): Promise<string> {
  return z.string().parse(await page.evaluate(allText));
}

const allText =
  "[document.title, document.body.textContent, ...[...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')].flatMap((one) => ['aria-label', 'title', 'placeholder', 'alt'].map((name) => one.getAttribute(name) ?? ''))].join('\\n')";

/** Names of providers in the API, which people do not know. */
export const apiNames = /devicemaker|activitynet/i;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const Violations = z.array(z.string());

/** Removes rows of long tables: axe needs seconds for thousands of rows that are alike. The page is of no use afterwards. */
export async function shortenTables(page: Page): Promise<void> {
  await page.evaluate(
    "for (const row of document.querySelectorAll('tbody tr:nth-child(n + 21)')) row.remove()",
  );
}

/** What axe finds on a page, or in a frame of it. */
export async function violations(page: Pick<Page, 'evaluate'>): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const run =
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).slice(0, 3).join(' ')))";
  return Violations.parse(await page.evaluate(run));
}

const Created = z.object({ id: z.string() });

/** Creates a destination at a store that does not speak S3: it fails. Only what changes from now on waits. Returns its id. */
export async function createFailingDestination(
  { api, receiverUrl: endpoint }: Pick<Console, 'api' | 'receiverUrl'>,
  bucket: string,
): Promise<string> {
  const settings = { endpoint, bucket, access_key_id: 'KEY', secret_access_key: 'of-the-browser' };
  const body = { kind: 's3', settings, from: 'now' };
  return Created.parse(await api.expect(201, '/destinations', { body })).id;
}

const Listed = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The id of the newest processed delivery. */
export async function newestDelivery(api: Pick<TestApi, 'expect'>): Promise<string> {
  const { data } = Listed.parse(await api.expect(200, '/deliveries?status=done&limit=1'));
  return data[0]?.id ?? '';
}

/** The id of the newest night or workout of a user. */
export async function newestEvent(
  api: Pick<TestApi, 'expect'>,
  userId: string,
  kind: 'sleep' | 'workouts',
): Promise<string> {
  const range = 'start_date=2020-01-01&end_date=2100-01-01&limit=1';
  const { data } = Listed.parse(await api.expect(200, `/users/${userId}/events/${kind}?${range}`));
  return data[0]?.id ?? '';
}

/** Sees the newest entry of an action in the audit, with a text of its row: the subject, the user, or a detail. */
export async function auditShows(page: Page, root: string, action: string, text: string): Promise<void> {
  await page.goto(`${root}/developers?action=${action}`);
  const row = page.locator('section[aria-labelledby=audit] tbody tr').first();
  await row.getByRole('cell', { name: action, exact: true }).waitFor();
  await row.filter({ hasText: text }).waitFor();
}

const newestEntry = `
  select to_jsonb(entry)::text as text from auth.audit_entry entry where action = $1 order by id desc limit 1`;

/** Waits until the newest entry of an action in the audit has a text: the subject, the user, or a detail. */
export async function audited(
  { database }: Pick<TestApi, 'database'>,
  action: string,
  text: string,
): Promise<void> {
  await until(async () => {
    const [entry] = await database.query<{ text: string }>(newestEntry, [action]);
    return entry?.text.includes(text) === true;
  }, `${action} of ${text} in the audit`);
}
