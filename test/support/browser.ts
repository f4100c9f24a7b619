import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { chromiumOptions } from '../../stack/find-chromium.ts';

/** A real browser without a window, until the test ends. */
export async function startBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions());
  t.teardown(() => browser.close());
  return browser;
}

/** A page in a new browser profile that records errors of the browser. */
export async function openPage(t: Test, browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}
