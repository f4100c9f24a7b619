// Runs test files one after another in this process, so that modules are loaded and compiled once, and writes a subtest
// per file as TAP to descriptor 3, so that nothing that a test prints is read as a result.
// usage: node test/runner/run-files.ts FILE…
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { keepFileTest } from './file-tests.ts';
import { neverCalled, startCalls } from './never-called.ts';
import { complaintMark } from './tap-report.ts';

const root = join(import.meta.dirname, '../..');
const timeoutOf = (file: string) => (file.endsWith('.browser.ts') ? 600_000 : 300_000);
// tap names its folders for fixtures after the arguments that it sees: those of a large group are too long for a name.
const names = process.argv.splice(2);
const files = new Map(names.map((file) => [pathToFileURL(join(root, file)).href, file]));

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
const complaints: string[] = [];
for (const [url, file] of files) {
  await t.test(file, { timeout: timeoutOf(file) }, async (test) => {
    keepFileTest(url, test);
    await import(url);
  });
}
// What files share ends after the last of them.
const completed = once(t, 'complete');
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
