import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import wholeRun, { type Test } from 'tap';
import { chromiumOptions } from '../../stack/packages/find-chromium.ts';

/** How long an action waits on a machine that runs other tests. */
export const patienceMs = 120_000;

let running: Promise<Browser> | undefined;

/** A real browser without a window, which the test files of a process share. */
export function startBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions());
  wholeRun.teardown(() => browser.close());
  return browser;
}

/** Records violations of the policies of a context's pages, as the browser itself reports them to a page. */
export async function recordViolations(context: BrowserContext, complaints: string[]): Promise<void> {
  await context.exposeFunction('reportToTest', (text: unknown) => complaints.push(String(text)));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportToTest('violates ' + event.effectiveDirective + ': ' + event.blockedURI + ', ' + location.pathname), true)`);
}

/** A page in a new browser profile that records errors of the browser and violations of the policy of a page. */
export async function openPage(t: Test, browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const complaints: string[] = [];
  await recordViolations(context, complaints);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}
