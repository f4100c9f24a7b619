// `npm test`: a throw-away database server and bus for all test files, then tap, then the count in one plain line.
// Tests get TEST_DATABASE_URL (a role that may create databases) and, where there is a bus, TEST_NATS_URL.
// usage: npm test [-- test/some.test.ts …]
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signal } from '../stack/processes.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { Tally } from './support/tally.ts';

// A run of all tests with fewer files than this fails: files that are renamed or lost would go unnoticed.
const leastFiles = 145;

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
  let stack: Stack | null = null;
  try {
    stack = await startTestStack();
    console.log(stack.choice);
    await buildTap();
    return stopped ? 1 : await runTap(testEnvironment(stack), process.argv.slice(2));
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
  const child = startTap(['build'], withPinnedNode(process.env), false);
  const output = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  if ((await endOf(child)) !== 0) throw new Error(`tap build failed:\n${await output}`);
  writeFileSync(stamp, wanted);
}

/** A terminal gets tap's live report, anything else a line per test file as it ends; then the count. */
async function runTap(env: NodeJS.ProcessEnv, args: string[]): Promise<number> {
  const raw = join(work, 'output.tap');
  const isTerminal = process.stdout.isTTY;
  const tally = new Tally(filesOf(args));
  const child = startTap([isTerminal ? `--output-file=${raw}` : '--reporter=tap', ...args], env, isTerminal);
  const lines = child.stdout === null ? null : tally.readAll(child.stdout, (text) => console.log(text));
  const code = await endOf(child);
  await (lines ?? tally.readAll(createReadStream(raw), () => {}));
  for (const problem of tally.problems(isTerminal)) console.log(problem);
  const { passed, failed } = tally.count(code);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? Math.max(code, 1) : 0;
}

/** The test files that a run must report: those that are named, else all there are. */
function filesOf(args: readonly string[]): { readonly files: readonly string[]; readonly least: number } {
  const named = args.filter((arg) => existsSync(join(root, arg)) && /\.ts$/.test(arg));
  if (named.length > 0) return { files: named, least: named.length };
  return { files: globSync('test/**/*.test.ts', { cwd: root }), least: args.length > 0 ? 1 : leastFiles };
}

function startTap(args: string[], env: NodeJS.ProcessEnv, isTerminal: boolean): ChildProcess {
  tap = spawn(join(bin, 'tap'), args, {
    cwd: root,
    env,
    stdio: isTerminal ? 'inherit' : ['ignore', 'pipe', 'inherit'],
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
