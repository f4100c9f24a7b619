import type { Page } from 'playwright-core';
import { z } from 'zod';
import { tooWide } from './console.ts';

/** Landmarks and headings of a page, as an expression for the browser. */
export const outline = `({
  landmarks: ['header', 'nav', 'main'].map((name) => [name, document.querySelectorAll(name).length]),
  unnamed: [...document.querySelectorAll('main section, nav')].filter(
    (one) => !one.hasAttribute('aria-label') && document.getElementById(one.getAttribute('aria-labelledby') ?? '') === null,
  ).map((one) => one.outerHTML.slice(0, 120)),
  headings: [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((one) => one.checkVisibility()).map(
    (one) => [Number(one.tagName[1]), one.textContent],
  ),
})`;

const Outline = z.object({
  landmarks: z.array(z.tuple([z.string(), z.int()])),
  unnamed: z.array(z.string()),
  headings: z.array(z.tuple([z.int(), z.string()])),
});

/** What is wrong with an outline: a landmark that is missing or twice there, more than one main heading, a level left out. */
export function structureFaults(found: unknown): string[] {
  const { landmarks, unnamed, headings } = Outline.parse(found);
  const mains = headings.filter(([level]) => level === 1);
  return [
    ...landmarks
      .filter(([name, count]) => (name === 'nav' ? count < 1 : count !== 1))
      .map(([name, count]) => `${count} ${name}`),
    ...unnamed.map((html) => `without a name: ${html}`),
    ...(mains.length === 1 ? [] : [`${mains.length} headings of level 1`]),
    ...headings.flatMap(([level, text], index) => {
      const before = headings[index - 1]?.[0] ?? 0;
      return level > before + 1 ? [`level ${level} after level ${before}: ${text}`] : [];
    }),
    ...headings
      .filter(([, text]) => text.trim() === '')
      .map(([level]) => `a heading of level ${level} is empty`),
  ];
}

const looks = 30;

/** The elements that make a page wider than its window. Charts follow a new width of the window in a later frame. */
export async function wideParts(page: Page): Promise<string[]> {
  for (let look = 0; ; look++) {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const parts = z.array(z.string()).parse(await page.evaluate(tooWide));
    if (parts.length === 0 || look === looks) return parts;
  }
}
