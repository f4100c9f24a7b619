import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { z } from 'zod';
import type { RawSettings } from '../../config.ts';
import { connectUsers } from '../../sandbox/connect/connect-users.ts';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { finishBackfills, whole } from '../sandbox/product-with-sandbox.ts';
import { developer, type TestApi } from '../support/api.ts';
import { patienceMs, recordViolations, startBrowser } from '../support/browser.ts';

/** How a page is looked at. */
export interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  /** The time zone of the browser. Default: that of this machine. */
  readonly timezoneId?: string;
}

/** A page of the console. */
export interface Opened {
  readonly page: Page;
  /** What the browser reported: errors, violations of the policy, requests to other origins. */
  readonly complaints: string[];
}

/** The console in a browser, with the data of simulated users, by their indexes. */
export async function startConsole(t: Test, who: readonly number[] = [], settings: RawSettings = {}) {
  const receiver = createServer((_, response) => response.writeHead(200).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => receiver.close());
  const { port } = z.object({ port: z.int() }).parse(receiver.address());
  const receiverUrl = `http://127.0.0.1:${port}`;

  await buildConsole(() => undefined);
  const product = await whole(t, who, {
    WEBHOOK_ENDPOINT_ORIGINS: receiverUrl,
    RATE_LIMIT_DEVELOPER: '100000',
    ...settings,
  });
  const { api, connecting } = product;
  const connected = await connectUsers(connecting);
  await finishBackfills(product, connected);
  const userId = connected[0]?.user_id ?? '';
  const browser = await startBrowser(t);
  const root = `${api.url}/console`;

  const openConsole = async (
    t: Test,
    { colorScheme, width, timezoneId }: View = { colorScheme: 'light', width: 1440 },
  ) => {
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
      if (!request.url().startsWith(`${api.url}/`)) complaints.push(`requests ${request.url()}`);
    });
    return { page, complaints } satisfies Opened;
  };

  const logIn = async (t: Test, view?: View): Promise<Opened> => {
    const opened = await openConsole(t, view);
    await opened.page.goto(root);
    await opened.page.getByLabel('E-mail address').fill(developer.email);
    await opened.page.getByLabel('Password').fill(developer.password);
    await opened.page.getByRole('button', { name: 'Log in' }).click();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };

  return { api, product, root, userId, receiverUrl, openConsole, logIn };
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

/** What axe finds on a page. */
export async function violations(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const run =
    "axe.run(document).then((result) => result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).slice(0, 3).join(' ')))";
  return Violations.parse(await page.evaluate(run));
}

const Deliveries = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The id of the newest processed delivery. */
export async function newestDelivery(api: Pick<TestApi, 'expect'>): Promise<string> {
  const { data } = Deliveries.parse(await api.expect(200, '/deliveries?status=done&limit=1'));
  return data[0]?.id ?? '';
}

/** Sees the newest entry of an action in the audit, with a text of its row: the subject, the user, or a detail. */
export async function auditShows(page: Page, root: string, action: string, text: string): Promise<void> {
  await page.goto(`${root}/developers?action=${action}`);
  const row = page.locator('section[aria-labelledby=audit] tbody tr').first();
  await row.getByRole('cell', { name: action, exact: true }).waitFor();
  await row.filter({ hasText: text }).waitFor();
}
