import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

/** Where systems put it; CHROMIUM names another one. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function executable(): string {
  const { CHROMIUM } = process.env;
  const found = (CHROMIUM === undefined ? places : [CHROMIUM]).find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(
      'this test drives Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM',
    );
  return found;
}

/** A real browser without a window, until the test ends. */
export async function startBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: executable(),
    // Chromium's own sandbox refuses to run as root, as which tests run in containers; the pages are ours.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
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
