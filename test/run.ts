// `npm test`: a throw-away database server and bus for all test files, then tap, then the count in one plain line.
// Tests get TEST_DATABASE_URL (a role that may create databases) and, where there is a bus, TEST_NATS_URL.
// usage: npm test [-- test/some.test.ts …]
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { signal } from '../stack/processes.ts';
import { type Stack, startStack } from '../stack/stack.ts';

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
  const { code, output } = await runTool(['build'], withPinnedNode(process.env), false);
  if (code !== 0) throw new Error(`tap build failed:\n${output}`);
  writeFileSync(stamp, wanted);
}

/** A terminal gets tap's live report; a log file the failures, then a line per test file. */
async function runTap(env: NodeJS.ProcessEnv, args: string[]): Promise<number> {
  const raw = join(work, 'output.tap');
  const reporter = process.stdout.isTTY ? [] : ['--reporter=silent'];
  const { code } = await runTool([...reporter, `--output-file=${raw}`, ...args], env, true);
  const output = existsSync(raw) ? readFileSync(raw, 'utf8') : '';
  if (!process.stdout.isTTY) console.log(reportOf(output));
  const { passed, failed } = countIn(output, code);
  if (passed + failed === 0) console.log('No test ran.');
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? Math.max(code, 1) : 0;
}

/** A line per test file; under a file that failed, what failed in it, as tap told it. */
function reportOf(output: string): string {
  const files = output.split(/^(?=(?:not )?ok |# \{ )/m);
  const told = files.flatMap((part, index) => {
    const line = /^((?:not )?ok |# \{ ).*/.exec(part)?.[0];
    if (line === undefined) return [];
    return line.startsWith('not ok') ? [line, ...failuresOf(files[index - 1] ?? '')] : [line];
  });
  return told.join('\n');
}

/** The assertions that failed, with their explanation; the subtests around them say nothing more. */
function failuresOf(file: string): string[] {
  const blocks = file.match(/^( +)not ok .*\n(?:\1 {2}---\n(?:\1.*\n|\s*\n)*?\1 {2}\.\.\.)?/gm) ?? [];
  return blocks
    .filter((block) => !/# time=/.test(block.split('\n')[0] ?? ''))
    .map((block) => block.slice(0, 4000));
}

/** Runs tap to its end: with the terminal, or quietly with its output kept. */
function runTool(
  args: string[],
  env: NodeJS.ProcessEnv,
  loud: boolean,
): Promise<{ code: number; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  const child = spawn(join(bin, 'tap'), args, {
    cwd: root,
    env,
    stdio: loud ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  tap = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)));
  child.once('error', (error) => resolve({ code: 1, output: error.message }));
  child.once('close', (code) => resolve({ code: code ?? 1, output }));
  return promise.finally(() => {
    tap = null;
  });
}

/**
 * From tap's closing line, `# { total: 18, pass: 17, fail: 1 }`; what did not pass failed, skipped ones too. It
 * counts assertions only: a file that crashed between them, and tap's own failure, count as one each at least.
 */
function countIn(output: string, code: number): { passed: number; failed: number } {
  const totals = /^# \{ (.*) \}$/m.exec(output)?.[1] ?? '';
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);
  const brokenFiles = output.match(/^not ok /gm)?.length ?? 0;
  const passed = count('pass');
  return { passed, failed: Math.max(count('total') - passed, brokenFiles, code === 0 ? 0 : 1) };
}
