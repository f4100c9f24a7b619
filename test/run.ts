// `npm test`: a throw-away database server and bus for all test files, then these, the longest first, then the count
// in one plain line.
// Tests get TEST_DATABASE_URL (a role that may create databases) and, where there is a bus, TEST_NATS_URL.
// usage: npm test [-- --changed] [-- test/some.test.ts …]
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { signal } from '../stack/processes.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { touchedTests } from './support/changed.ts';
import { keepDurations, longestFirst, readDurations } from './support/durations.ts';
import { Tally } from './support/tally.ts';

// A run of all tests with fewer files than this fails: files that are renamed or lost would go unnoticed.
const leastFiles = 145;
// Most files wait for something now and then: one more than there are cores keeps these busy.
const jobs = Math.min(availableParallelism() + 1, 5);

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules/.bin');
const work = mkdtempSync(join(tmpdir(), 'pulsebus-test-'));
chmodSync(work, 0o711); // the database server's account walks through it

// tap itself waits for its test files; its process group ends at once. In a terminal it has to stay in ours, and
// Ctrl-C reaches all of it.
const ownGroup = !process.stdin.isTTY;

let tap: ChildProcess | null = null;
let stopped = false;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    stopped = true;
    if (tap?.pid !== undefined) signal(ownGroup ? -tap.pid : tap.pid, 'SIGTERM');
  });

process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedFiles(process.argv.slice(2));
  if (wanted.files.length === 0 && wanted.least === 0) {
    console.log('No test uses what was changed.\n0 passed, 0 failed');
    return 0;
  }
  let stack: Stack | null = null;
  try {
    stack = await startTestStack();
    console.log(stack.choice);
    await buildTap();
    return stopped ? 1 : await runTap(testEnvironment(stack), wanted);
  } finally {
    await stack?.stop();
    // servers of an aborted test file may still be writing their last
    rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function startTestStack(): Promise<Stack> {
  const { DATABASE_URL, NATS_URL, STACK_DIR } = process.env;
  return startStack({
    dataDir: join(work, 'data'),
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
    ...withPinnedNode(rest),
    TMPDIR: work, // what an aborted test leaves goes with it
    // Each test file is a process of its own; they share what was compiled.
    NODE_COMPILE_CACHE: join(work, 'compiled'),
    TEST_DATABASE_URL: stack.databaseUrl,
    ...(stack.natsUrl === null ? {} : { TEST_NATS_URL: stack.natsUrl }),
  };
}

/** tap starts test files through `#!/usr/bin/env node`. */
function withPinnedNode(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: [bin, env.PATH].join(delimiter) };
}

/** tap's test class depends on its plugins and is built into node_modules: once per install and per .taprc, 3 s. */
async function buildTap(): Promise<void> {
  const stamp = join(root, 'node_modules/.pulsebus-tap');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, '.taprc')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(join(root, '.tap/plugins')))
    return;
  const child = startNode([join(bin, 'tap'), 'build'], withPinnedNode(process.env));
  const output = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  if ((await endOf(child)) !== 0) throw new Error(`tap build failed:\n${await output}`);
  writeFileSync(stamp, wanted);
}

/** Runs the files, the longest first, with a line per file as it ends; then the count. */
async function runTap(env: NodeJS.ProcessEnv, { files, least }: Wanted): Promise<number> {
  const tally = new Tally({ files, least });
  const ordered = longestFirst(files, readDurations(root));
  const child = startNode([join(root, 'test/support/run-files.ts'), String(jobs), ...ordered], env);
  await tally.readAll(child.stdout ?? Readable.from([]), (text) => console.log(text));
  const code = await endOf(child);
  for (const problem of tally.problems()) console.log(problem);
  keepDurations(root, tally.reports);
  const { passed, failed } = tally.count(code);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? Math.max(code, 1) : 0;
}

/** The test files of a run, and how many there must be at least. */
interface Wanted {
  readonly files: readonly string[];
  readonly least: number;
}

/** The test files that are named, those that a change touches, or all there are. */
function wantedFiles(args: readonly string[]): Wanted {
  const all = globSync('test/**/*.test.ts', { cwd: root });
  if (args.includes('--changed')) return { files: touchedTests(root, all), least: 0 };
  const named = args.flatMap((arg) => (existsSync(join(root, arg)) ? [arg] : globSync(arg, { cwd: root })));
  if (args.length > 0) return { files: named, least: args.length };
  return { files: all, least: leastFiles };
}

function startNode(args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  tap = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: ownGroup,
  });
  return tap;
}

/** Waits for a program's end, its output read. */
async function endOf(child: ChildProcess): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('error', () => resolve(1));
  child.once('close', (code) => resolve(code ?? 1));
  return promise.finally(() => {
    tap = null;
  });
}
