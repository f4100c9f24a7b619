import type { Page } from 'playwright-core';
import { z } from 'zod';

const mostMs = 60_000;
const Milliseconds = z.number().positive();

// The clock of the page begins with the navigation. A frame in which the condition holds is drawn before the next but one.
const whenDrawn = (condition: string) => `new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('is not drawn after ${mostMs / 1000} s')), ${mostMs});
  const look = () => requestAnimationFrame(() => (${condition})
    ? requestAnimationFrame(() => resolve(performance.now()))
    : look());
  look();
})`;

/** Opens an address. @returns milliseconds from the start of the navigation until a condition of the page is drawn */
export async function timeOfNavigation(page: Page, url: string, condition: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  return Milliseconds.parse(await page.evaluate(whenDrawn(condition)));
}

/** Acts on a page by a script. @returns milliseconds from the action until a condition of the page is drawn */
export async function timeOfAction(page: Page, action: string, condition: string): Promise<number> {
  const script = `(async () => {
    const began = performance.now();
    ${action};
    return (await ${whenDrawn(condition)}) - began;
  })()`;
  return Milliseconds.parse(await page.evaluate(script));
}

/** The compressed bytes of all bodies that a page has loaded, by the browser's own count. */
export async function loadedBytes(page: Page): Promise<number> {
  const script = `performance.getEntries()
    .filter(({ entryType }) => entryType === 'navigation' || entryType === 'resource')
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
  return Milliseconds.parse(await page.evaluate(script));
}
