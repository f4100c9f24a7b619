import { Worker } from 'node:worker_threads';
import t from 'tap';

const script = `
  const { parentPort } = require('node:worker_threads');
  (async () => {
    const { collectGarbage } = await import(${JSON.stringify(new URL('../../sandbox/server/collect-garbage.ts', import.meta.url).href)});
    const gone = new WeakRef({});
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    parentPort.postMessage(gone.deref() === undefined);
  })();
`;

t.test('unused memory of the calling thread is freed, and the thread continues', async (t) => {
  const worker = new Worker(script, { eval: true });
  t.teardown(() => worker.terminate());
  t.equal(await new Promise((resolve) => worker.once('message', resolve)), true);
});
