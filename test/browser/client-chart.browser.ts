// npm run test:browser: the client's example page draws a chart with the built package, without another server.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { createWearer, push, startApi } from '../support/api.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { clientFolder, clientPackage } from '../support/client-package.ts';
import { fullDay } from '../support/full-day.ts';

t.setTimeout(300_000);
const { folder } = await clientPackage();
const api = await startApi(t);
const browser = await startBrowser();
const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  map: 'application/json',
};

// The examples are served beside the built package, as in its folder.
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  response.setHeader('Content-Type', types[path.split('.').at(-1) ?? ''] ?? 'text/plain');
  response.end(readFileSync(join(path.startsWith('/dist/') ? folder : clientFolder, path)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => server.close());
const { port } = z.object({ port: z.int() }).parse(server.address());

t.test('the page shows the heart rate of a day, and the sentence of an error', async (t) => {
  const { userId, account } = await createWearer(api);
  const startMs = Date.UTC(2026, 2, 10);
  await push(api, { dailies: [fullDay({ account, startMs, seconds: 86_400, seed: 1 })] });
  const { page, complaints } = await openPage(t, browser);
  await page.goto(`http://127.0.0.1:${port}/examples/chart.html`);
  const fill = (name: string, value: string) => page.locator(`input[name=${name}]`).fill(value);
  await fill('server', api.url);
  await fill('key', api.apiKey);
  await fill('user', userId);
  await fill('day', '2026-03-10');
  const status = page.getByRole('status');
  await page.getByRole('button', { name: 'Show' }).click();
  await status.filter({ hasText: '288 values of 2026-03-10' }).waitFor();
  const points = (await page.locator('polyline').getAttribute('points')) ?? '';
  t.equal(points.split(' ').length, 288);
  t.strictSame(complaints, []);
  await fill('key', 'sk-unknown');
  await page.getByRole('button', { name: 'Show' }).click();
  await status.filter({ hasText: /credential/i }).waitFor();
});
