import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags } from '../../../stack/move-in/options.ts';

/** `npm run move-in` as a process. */
export interface MoveInCommand {
  readonly child: ChildProcess;
  /** The exit code or signal, and all that it wrote, when it has ended. */
  readonly ended: Promise<{ readonly code: number | string; readonly output: string }>;
  /** The most memory that it had, in MB, as far as it was looked at. */
  peakMb(): number;
}

const program = join(import.meta.dirname, '../../../stack/commands/move-in.ts');
const lookMs = 100;

/** Starts the command with some arguments and settings. */
export function startMoveIn(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): MoveInCommand {
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
    env: {
      ...{
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      },
      ...{ MALLOC_ARENA_MAX: '2', JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) },
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memoryMb(child.pid ?? 0));
  }, lookMs);
  const ended = once(child, 'close').then(([code, signal]) => {
    clearInterval(look);
    return { code: signal ?? code, output };
  });
  return { child, ended, peakMb: () => peak };
}

function memoryMb(pid: number): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0; // it has ended
  }
}
