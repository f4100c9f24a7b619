import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';

/** The whole product as `npm start` runs it with one worker: a process with servers, a data folder and a log of its own. */
export interface Product {
  readonly url: string;
  /** Of the database's superuser. */
  readonly superUrl: string;
  /** Holds all that the product writes: the data folder, and the output of the process. */
  readonly folder: string;
  /** Stops it as Ctrl-C does. */
  stop(): Promise<void>;
}

const Run = z.object({ url: z.string(), databaseUrl: z.string() });
const root = join(import.meta.dirname, '../..');
const startPeriodicTask = 1200;

/** Starts it with some settings, on a free port. */
export async function startProduct(t: Test, settings: Readonly<Record<string, string>>): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-product-'));
  chmodSync(folder, 0o711); // the database server's account walks through it
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const dataDir = join(folder, 'data');
  const { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      PORT: '0',
      DATA_DIR: dataDir,
      SANDBOX: 'off',
      WORKERS: '1',
      ...settings,
    },
    ...(STACK_DIR === undefined ? {} : { STACK_DIR }),
  };
  const child = spawn(process.execPath, [join(root, 'start.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(join(folder, 'output.log'));
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  };
  t.teardown(stop);
  const run = Run.parse(await readRun(child, dataDir, join(folder, 'output.log')));
  return { url: run.url, superUrl: superUrlOf(run.databaseUrl, dataDir), folder, stop };
}

async function readRun(child: ChildProcess, dataDir: string, output: string): Promise<unknown> {
  const file = join(dataDir, 'run.json');
  for (let round = 0; round < startPeriodicTask && child.exitCode === null; round += 1) {
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
    await sleep(100);
  }
  throw new Error(`the product did not start:\n${readFileSync(output, 'utf8').slice(-2000)}`);
}

function superUrlOf(databaseUrl: string, dataDir: string): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(dataDir, 'superuser-password'), 'utf8');
  return url.href;
}
