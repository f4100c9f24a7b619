import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from '../../stack/packages/find-chromium.ts';
import type { Product } from '../product.ts';

/** A browser that is signed in to the console. */
export interface SignedIn {
  readonly root: string;
  /** Opens a page with an empty cache, in a window of 1440 by 900. */
  visit<T>(work: (page: Page) => Promise<T>): Promise<T>;
  /** As `visit`, without the session. */
  visitAsGuest<T>(work: (page: Page) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const viewport = { width: 1440, height: 900 };

/** Starts Chromium without a window and signs in with a link. @throws Error if there is no Chromium */
export async function signInBrowser(product: Product): Promise<SignedIn> {
  const browser = await chromium.launch(chromiumOptions());
  const session = await browser.newContext({ viewport });
  const page = await session.newPage();
  await page.goto(await product.signInUrl());
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const storageState = await session.storageState();
  await session.close();
  return {
    root: `${product.url}/console`,
    visit: (work) => inContext(browser, { viewport, storageState }, work),
    visitAsGuest: (work) => inContext(browser, { viewport }, work),
    stop: () => browser.close(),
  };
}

type ContextOptions = Parameters<Browser['newContext']>[0];

async function inContext<T>(browser: Browser, options: ContextOptions, work: (page: Page) => Promise<T>) {
  const context: BrowserContext = await browser.newContext(options);
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}
