// Runs test files one after another in this process, so that modules are loaded and compiled once. Descriptor 4 names the
// files: an empty line asks for the next one, the other side answers with a line or ends. A subtest per file is written as
// TAP to descriptor 3, so that nothing that a test prints is read as a result.
// usage: node test/runner/run-files.ts
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { flushCompileCache, registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { keepFileTest } from './file-tests.ts';
import { neverCalled, startCalls } from './never-called.ts';
import { complaintMark } from './tap-report.ts';

const root = join(import.meta.dirname, '../..');
const timeoutOf = (file: string) => (file.endsWith('.browser.ts') ? 600_000 : 300_000);
/** What files leave behind is kept until their process ends. Five processes of this size, the servers and a browser fit into 6 GB. */
const mostBytes = 800_000_000;
const files = new Map<string, string>();

// tap's `t` is one per process. A test file gets the subtest of the file instead.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = replacementOf(specifier, context.parentURL ?? '');
    return url === null ? nextResolve(specifier, context) : { url: url.href, shortCircuit: true };
  },
});

function replacementOf(specifier: string, importer: string): URL | null {
  if (specifier === 'async-hook-domain') return new URL('./error-domain.ts', import.meta.url);
  if (specifier !== 'tap' || !files.has(importer)) return null;
  const url = new URL('./file-test.ts', import.meta.url);
  url.search = new URLSearchParams({ importer }).toString();
  return url;
}

const { default: t } = await import('tap');
const calls = await startCalls();
const results = createWriteStream('', { fd: 3 });

t.pipe(results, { end: false });
t.register();
t.setTimeout(0);
// A helper may use the teardown of the test above all files, as of which tap ends that test when it is idle. Until the next file is
// named it only seems to be.
Object.defineProperty(t, 'idle', { value: false, configurable: true });
const complaints: string[] = [];
for await (const file of wantedFiles()) {
  const url = pathToFileURL(join(root, file)).href;
  files.set(url, file);
  await t.test(file, { timeout: timeoutOf(file) }, async (test) => {
    keepFileTest(url, test);
    await import(url);
  });
  flushCompileCache(); // otherwise only its end writes what was compiled, and programs that tests start compile it again
}

async function* wantedFiles(): AsyncGenerator<string> {
  const parent = new Socket({ fd: 4 });
  const names = createInterface({ input: parent })[Symbol.asyncIterator]();
  while (process.memoryUsage.rss() < mostBytes) {
    parent.ref().write('\n');
    const { value, done } = await names.next();
    if (done === true) break;
    parent.unref(); // a file must not find a process that stays alive by itself
    yield value;
  }
  parent.destroy();
}

// What files share ends after the last of them.
const completed = once(t, 'complete');
Reflect.deleteProperty(t, 'idle');
t.end();
await Promise.race([completed, sleep(20_000)]);
for (const place of await neverCalled(calls, new Set(files.keys()), root))
  complaints.push(`${place}: assertions that are never called`);
for (const complaint of complaints) results.write(`${complaintMark}${complaint}\n`);
// The last lines may still wait for the reader.
const givenUpAt = performance.now() + 20_000;
while ((t.bufferLength > 0 || results.writableLength > 0) && performance.now() < givenUpAt) await sleep(5);
// tap only prints an assertion that comes after its test when all tests have ended.
process.on('exit', () => {
  if (t.results?.ok !== true) process.exitCode = 1;
});
// A connection or a timer that a file left open would keep the process for up to a minute.
process.exit();
