import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { freeIdleMemory, type HeapState } from '../../runtime/idle-memory.ts';
import { until } from '../support/until.ts';

const megabyte = 1024 * 1024;

t.test('memory is freed while the process is idle, and again only when it has grown', async (t) => {
  const states: HeapState[] = [
    { share: 0.9, heapBytes: 100 * megabyte },
    { share: 0.01, heapBytes: 100 * megabyte },
    { share: 0.01, heapBytes: 60 * megabyte }, // after the collection
    { share: 0.01, heapBytes: 70 * megabyte },
    { share: 0.01, heapBytes: 77 * megabyte },
    { share: 0.01, heapBytes: 61 * megabyte },
  ];
  const collectedAt: number[] = [];
  const last = { share: 0.01, heapBytes: 61 * megabyte };
  let reads = 0;
  const stop = freeIdleMemory({
    everyMs: 1,
    read: () => states[reads++] ?? last,
    collect: () => void collectedAt.push(reads),
  });
  t.teardown(stop);
  await until(() => reads > states.length + 2);
  t.same(collectedAt, [2, 5]);
});

t.test('it collects, also in threads that start later, and keeps no process running', (t) => {
  const module = join(import.meta.dirname, '../../runtime/idle-memory.ts');
  const script = `
    import { Worker } from 'node:worker_threads';
    import { freeIdleMemory } from ${JSON.stringify(module)};
    const gone = new WeakRef({});
    let heapBytes = 0;
    freeIdleMemory({ everyMs: 1, read: () => ({ share: 0, heapBytes: (heapBytes += 1e9) }) });
    const busy = setInterval(() => {
      if (gone.deref() === undefined) { console.log('freed'); clearInterval(busy); }
    }, 5);
    const thread = new Worker('gc()', { eval: true });
    thread.on('exit', (code) => console.log(code));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  t.same(output.trim().split('\n').toSorted(), ['0', 'freed']);
  t.end();
});
