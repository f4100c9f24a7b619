// `npm test`: a throw-away database server and bus for all test files, then these, in groups that share a process, then
// the count in one plain line.
// Those that drive a browser run where Chromium is; elsewhere a line says that they were skipped.
// Tests get TEST_DATABASE_URL (a role that may create databases) and, where there is a bus, TEST_NATS_URL.
// usage: npm test [-- --changed] [-- test/some.test.ts …]
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findChromium } from '../stack/packages/find-chromium.ts';
import { type Stack, startStack } from '../stack/servers/stack.ts';
import { buildTap } from './runner/build-tap.ts';
import { keepDurations, readDurations } from './runner/durations.ts';
import { groupFiles } from './runner/file-groups.ts';
import { Tally } from './runner/tally.ts';
import { TestProcesses } from './runner/test-processes.ts';
import { type Wanted, wantedFiles } from './runner/wanted-files.ts';
import { makeMemoryFolder, programsRunIn } from './support/servers/memory-folder.ts';

// Most files wait for something now and then: three more than there are cores keep these busy.
const jobs = Math.min(availableParallelism() + 3, 6);

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules/.bin');
const memory = makeMemoryFolder();
const work = mkdtempSync(
  join(memory !== null && programsRunIn(memory) ? memory : tmpdir(), 'pulsebus-test-'),
);
chmodSync(work, 0o711); // the database server's account walks through it

let processes: TestProcesses | null = null;
let stopped = false;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    stopped = true;
    processes?.stop();
  });

process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedFiles(root, process.argv.slice(2), findChromium() !== null);
  if (wanted.files.length === 0 && wanted.lost.length === 0) {
    const lines = ['No test uses what was changed.', ...wanted.notes, '0 passed, 0 failed'];
    console.log(lines.join('\n'));
    return 0;
  }
  let stack: Stack | null = null;
  try {
    stack = await startTestStack();
    console.log(stack.choice);
    await buildTap(root, withTools(process.env));
    return stopped ? 1 : await runFiles(testEnvironment(stack), wanted);
  } finally {
    await stack?.stop();
    // servers of an aborted test file may still be writing their last
    for (const folder of [work, ...(memory === null ? [] : [memory])])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function startTestStack(): Promise<Stack> {
  const { DATABASE_URL, NATS_URL, STACK_DIR } = process.env;
  return startStack({
    dataDir: join(memory ?? work, 'data'),
    ephemeral: true,
    log: (line) => console.log(line),
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(NATS_URL ? { natsUrl: NATS_URL } : {}),
    ...(STACK_DIR ? { stackDir: STACK_DIR } : {}),
  });
}

/** The settings of whoever runs the tests must not reach them, least of all the address of real data. */
function testEnvironment(stack: Stack): NodeJS.ProcessEnv {
  const { DATABASE_URL, NATS_URL, ...rest } = process.env;
  return {
    ...withTools(rest),
    TMPDIR: work, // what an aborted test leaves goes with it
    // The processes share what was compiled.
    NODE_COMPILE_CACHE: join(work, 'compiled'),
    TEST_DATABASE_URL: stack.databaseUrl,
    ...(stack.natsUrl === null ? {} : { TEST_NATS_URL: stack.natsUrl }),
  };
}

/** Programs of the packages come first. Those of `#!/usr/bin/env node` run under the pinned Node.js, see bootstrap.js. */
function withTools(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: [bin, env.PATH].join(delimiter) };
}

/** Runs the files, with a line per file as it ends; then the count. */
async function runFiles(env: NodeJS.ProcessEnv, { files, lost, notes }: Wanted): Promise<number> {
  const tally = new Tally({ files, lost });
  processes = new TestProcesses(tally, { root, env, print: (text) => console.log(text) });
  const code = await processes.run(groupFiles(files, readDurations(root)), jobs);
  for (const line of [...tally.problems(), ...notes]) console.log(line);
  keepDurations(root, tally.reports);
  const { passed, failed } = tally.count(code);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? Math.max(code, 1) : 0;
}
