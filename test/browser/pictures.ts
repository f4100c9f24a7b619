import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = join(import.meta.dirname, '../../docs/images');

/** Whether pictures are wanted. The pages are then filled with more users. */
export const pictured = process.env.SCREENSHOTS !== undefined;

/** Saves a picture of the window for the documentation, if SCREENSHOTS is set. */
export async function savePicture(page: Page, name: string): Promise<void> {
  if (!pictured) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), scale: 'css' });
}
