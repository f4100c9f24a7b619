import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { send } from './http.ts';

/** A process of the product, as `npm run cluster` starts it. */
export interface Process {
  readonly name: string;
  /** The URL, if the process contains the gateway. */
  readonly origin: string;
  readonly pid: number;
  /** What it wrote, the last lines of it. */
  said(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | string>;
  hasEnded(): boolean;
  memoryMb(): number;
}

/** The settings of a process of the tests: quiet, no limits in the way, no way out to the world. */
export interface ProcessChoice {
  readonly name: string;
  readonly services: readonly string[];
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Options of node itself. */
  readonly options?: readonly string[];
  /** A command that executes the one that follows it. */
  readonly through?: readonly string[];
}

const program = join(import.meta.dirname, '../../../stack/processes/process.ts');
const secret = 'a secret of the tests with 32 characters and more';
const nowhere = 'http://127.0.0.1:9';

/** Settings that all processes of a test have in common. */
export const commonSettings: Readonly<Record<string, string>> = {
  JWT_SECRET: secret,
  ENCRYPTION_KEY: secret,
  LOG_LEVEL: 'warn',
  SANDBOX: 'off',
  ...Object.fromEntries(
    ['API_KEY', 'SDK', 'DEVELOPER', 'ADDRESS', 'FAILURES', 'WEBHOOK'].map((name) => [
      `RATE_LIMIT_${name}`,
      '100000000',
    ]),
  ),
  ...{ ACTIVITYNET_API_URL: `${nowhere}/api/v3`, ACTIVITYNET_OAUTH_URL: `${nowhere}/oauth` },
  ...{
    ACTIVITYNET_CLIENT_ID: 'faults',
    ACTIVITYNET_CLIENT_SECRET: 'faults',
    ACTIVITYNET_VERIFY_TOKEN: 'faults',
  },
  ...{ DEVICEMAKER_API_URL: `${nowhere}/rest`, DEVICEMAKER_AUTHORIZE_URL: `${nowhere}/authorize` },
  ...{
    DEVICEMAKER_TOKEN_URL: `${nowhere}/token`,
    DEVICEMAKER_CLIENT_ID: 'faults',
    DEVICEMAKER_CLIENT_SECRET: 'faults',
  },
};

/** Starts a process; it may not be ready yet. It ends with the test at the latest. */
export function startProcess(t: Test, choice: ProcessChoice): Process {
  const { name, services, port, settings, options = [], through = [] } = choice;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    ...commonSettings,
    SERVICES: services.join(','),
    PORT: String(port),
    ...settings,
  };
  const [command = process.execPath, ...rest] = [
    ...through,
    ...[process.execPath, ...options, program, '--with-parent'],
  ];
  const child = spawn(command, rest, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines = tail(child);
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  t.teardown(async () => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  });
  return {
    name,
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    said: () => lines.slice(-200).join('\n'),
    signal: (signal) => void child.kill(signal),
    ended,
    hasEnded,
    memoryMb: () => memoryOf(child.pid ?? 0),
  };
}

function tail(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.trimEnd().split('\n'));
      lines.splice(0, Math.max(0, lines.length - 500));
    });
  return lines;
}

function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

const readyLimitMs = 120_000;
/** Leaves no connection open that a stop would wait for. */
const oneUse = new Agent({ keepAlive: false });

/** Waits until a gateway is ready. @throws Error with its last answer */
export async function untilReady({ origin, said, hasEnded }: Process): Promise<void> {
  const deadline = Date.now() + readyLimitMs;
  for (;;) {
    const answer = await send(oneUse, { origin, method: 'GET', path: '/api/v1/ready' }).catch(() => null);
    if (answer?.status === 200) return;
    if (hasEnded() || Date.now() > deadline) throw new Error(`not ready: ${answer?.text}\n${said()}`);
    await sleep(100);
  }
}
