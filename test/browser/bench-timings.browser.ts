// npm run test:browser: what `npm run bench -- --only browser` takes for a figure.
import { createServer } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { framesDuring } from '../../bench/browser/frames.ts';
import { loadedBytes, timeOfAction, timeOfNavigation } from '../../bench/browser/timings.ts';
import { openPage, startBrowser } from '../support/browser.ts';

const waitMs = 400;
const html = `<!doctype html><title>Late</title><link rel="icon" href="data:,"><body><button>Add</button><script>
  const add = (id) => setTimeout(() => document.body.append(Object.assign(document.createElement('p'), { id })), ${waitMs});
  add('first');
  document.querySelector('button').onclick = () => add('second');
</script>`;
const server = createServer((_, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(html),
);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => server.close());
const { port } = z.object({ port: z.int() }).parse(server.address());
const browser = await startBrowser();
const shows = (id: string) => `document.querySelector('#${id}')`;

t.test('a time ends when what is waited for is shown, not when the document is loaded', async (t) => {
  const { page } = await openPage(t, browser);
  const opened = await timeOfNavigation(page, `http://127.0.0.1:${port}/`, shows('first'));
  t.ok(opened >= waitMs, `${opened} ms`);
  const click = "document.querySelector('button').click()";
  const acted = await timeOfAction(page, click, shows('second'));
  t.ok(acted >= waitMs, `${acted} ms`);
  t.ok(Number(await page.evaluate('performance.now()')) >= opened + acted, 'one does not count the other');
  t.equal(await loadedBytes(page), Buffer.byteLength(html));
});

t.test('a task that holds up frames is found, by its length and by the frames that are late', async (t) => {
  const { page } = await openPage(t, browser);
  await page.goto(`http://127.0.0.1:${port}/`);
  const busyMs = 200;
  const { inTime, frames, longestTaskMs } = await framesDuring(page, async () => {
    await page.evaluate(`new Promise((resolve) => setTimeout(() => {
      const until = performance.now() + ${busyMs};
      while (performance.now() < until);
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    }, 50))`);
  });
  t.ok(frames > 1 && inTime < 1, `${inTime} of ${frames}`);
  t.ok(longestTaskMs >= busyMs, `${longestTaskMs} ms`);
});
