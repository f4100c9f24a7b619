import type { Browser, Page } from 'playwright-core';
import { loadConfig } from '../../config.ts';
import { readAssets } from '../../services/api-gateway/actions/connect-page/page-assets.ts';
import { patienceMs } from '../support/browser.ts';

const origin = 'http://connect.invalid';

/** Shows views without a server. A page has no script, so that a new content needs no new page. */
export async function showViews(
  browser: Browser,
): Promise<{ page: Page; show(view: string): Promise<void> }> {
  const { style } = readAssets(loadConfig({ CONNECT_COLOR: '#1a6b52' }));
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.route(`${origin}/**`, (route) =>
    route.request().url().endsWith('.css')
      ? route.fulfill({ contentType: style.type, body: style.content })
      : route.fulfill({ contentType: 'text/html; charset=utf-8', body: '' }),
  );
  await page.goto(`${origin}/`);
  return {
    page,
    async show(view) {
      await page.setContent(view.replace(/<meta http-equiv="refresh"[^>]*>/, ''));
    },
  };
}
