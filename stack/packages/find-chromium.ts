import { existsSync } from 'node:fs';

/** Where systems put it; CHROMIUM names another one. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The sentence for a machine without Chromium. */
export const chromiumMissing =
  'Chromium is not installed (Debian: apt-get install chromium), and the setting CHROMIUM names no program';

/** The program of Chromium, or null if there is none. */
export function findChromium(): string | null {
  const { CHROMIUM } = process.env;
  return (CHROMIUM === undefined ? places : [CHROMIUM]).find((place) => existsSync(place)) ?? null;
}

/** The options with which playwright-core starts Chromium. @throws Error if there is no Chromium */
export function chromiumOptions(): { executablePath: string; args: string[] } {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`${chromiumMissing}.`);
  // Chromium's own sandbox refuses to run as root, as which tests run in containers; the pages are ours.
  return { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
