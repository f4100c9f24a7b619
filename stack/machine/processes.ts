// Identifies processes. After a kill -9 or a restart of the machine a pid may belong to another process, so a process
// is identified by its pid and its command line.

import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { errorCodeOf } from '../../domain/error-code.ts';

/** A process as recorded. */
export const ProcessMark = z.object({ pid: z.int().positive(), command: z.string() });
export type ProcessMark = z.infer<typeof ProcessMark>;

/** The command line of a running process, its arguments joined by spaces; null when none runs (a zombie is none). */
export function commandLine(pid: number): string | null {
  try {
    const text =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return text.trim() || null;
  } catch {
    return null;
  }
}

/** Marks this process. */
export function ownMark(): ProcessMark {
  return { pid: process.pid, command: commandLine(process.pid) ?? '' };
}

/** Whether the marked process, and not a later one with its number, still runs. */
export function isRunning(mark: ProcessMark): boolean {
  return commandLine(mark.pid) === mark.command;
}

/** Whether a pid belongs to any process, including a zombie. */
export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}

/** The processes whose working folder is this one, as far as the system shows it (Linux; none elsewhere). */
export function pidsIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const real = realpathSync(folder);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => workingFolder(pid) === real).map(Number);
}

function workingFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // ended meanwhile, a zombie, or another user's
  }
}

/** Waits until a condition holds. Returns false when it still did not after timeout_ms. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeout_ms: number,
): Promise<boolean> {
  const deadline = performance.now() + timeout_ms;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal. A process that has already ended is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCodeOf(error) !== 'ESRCH') throw error;
  }
}

/** How to run a program: its working folder, environment, and account. */
export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

const execute = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a program and returns its output. @throws Error with the last lines of its error output */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  try {
    const { stdout } = await execute(program, args, { ...options, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (cause) {
    throw new Error(`${program} failed: ${complaintOf(cause)}`, { cause });
  }
}

function complaintOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (errorCodeOf(error) === 'ENOENT') return 'it is not on this machine';
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  const lines = said.split('\n');
  return lines.find((line) => line.startsWith('E: ')) || lines.slice(-3).join(' ') || error.message;
}
