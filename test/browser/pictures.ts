import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = join(import.meta.dirname, '../../docs/images');

/** Whether pictures are wanted. The pages are then filled with more users. */
export const pictured = process.env.SCREENSHOTS !== undefined;

/** The view of a picture: its theme and its width are in the name of the file. */
interface PictureView {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

const height = 900;
/** Wide pictures are saved smaller, so that all of them together stay small. */
const scaleOf = (width: number) => (width > 400 ? 2 / 3 : 1);

/** Saves a picture of the window for the documentation as WebP, if SCREENSHOTS is set. */
export async function savePicture(
  page: Page,
  name: string,
  { colorScheme, width }: PictureView = { colorScheme: 'light', width: 1440 },
): Promise<void> {
  if (!pictured) return;
  mkdirSync(folder, { recursive: true });
  const browser = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, width, height, scale: scaleOf(width) };
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 72, clip });
  await browser.detach();
  writeFileSync(join(folder, `${name}-${colorScheme}-${width}.webp`), Buffer.from(data, 'base64'));
}
