// A server that runs exactly as long as this process. It has a session of its own, so that Ctrl-C in a terminal does
// not reach it and servers stop in order. The shell below reads a pipe from this process and stops the server when the
// pipe closes, also after a kill -9.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { Account } from '../machine/unprivileged.ts';

/** $1: the signal that ends the server; the rest: its command line. */
const SUPERVISE = `
stop=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -s "$stop" "$server"; } & watcher=$!
wait "$server"; code=$?
kill "$watcher" 2>/dev/null
exit "$code"`;

const STOP_TIMEOUT_MS = 60_000;
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** The command of a server, its account, and its stop signal. */
export interface ServerCommand {
  name: string;
  command: readonly string[];
  stopSignal: 'INT' | 'TERM';
  logFile: string;
  account: Account;
  log(line: string): void;
}

/** A server that was started. */
export interface ServerProcess {
  hasEnded(): boolean;
  /** Resolves with the server's last output if it ends without being stopped. */
  readonly endedByItself: Promise<string>;
  /** The last lines of the server's output, for the message of a failed start. */
  lastLines(): string;
  /** Stops the server cleanly and waits for it. */
  stop(): Promise<void>;
}

/** Starts a server. It may not be ready yet. */
export function startServer(options: ServerCommand): ServerProcess {
  const child = spawnSupervised(options);
  let stopping = false;
  const itself = Promise.withResolvers<string>();
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => {
      if (!stopping) itself.resolve(lastComplaint(options));
      resolve();
    });
  });
  return {
    endedByItself: itself.promise,
    hasEnded: () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null,
    lastLines: () => linesOf(options.logFile).slice(-5).join('\n'),
    async stop() {
      stopping = true;
      child.stdin?.end();
      child.ref();
      const timeout = setTimeout(() => killSession(child), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timeout);
    },
  };
}

/**
 * A sentence with the last reason in the log. A server that loses its disk logs the reason first, then only that it
 * ends.
 */
function lastComplaint({ name, logFile }: ServerCommand): string {
  const reason = linesOf(logFile)
    .slice(-50)
    .findLast((line) => /\b(FATAL|PANIC|\[FTL\])/.test(line))
    ?.replace(/^.*?(FATAL|PANIC|\[FTL\]):? */, '');
  return `${name} ended by itself${reason === undefined ? '' : `: ${reason}`}. Its log is ${logFile}.`;
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}

function spawnSupervised(options: ServerCommand): ChildProcess {
  const log = openLog(options.logFile);
  const child = spawn(
    '/bin/sh',
    ['-c', SUPERVISE, 'pulsebus-stack', options.stopSignal, ...options.command],
    {
      cwd: '/',
      detached: true,
      stdio: ['pipe', log, log],
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      ...options.account,
    },
  );
  closeSync(log);
  child.stdin?.on('error', () => {}); // the server ended first: its exit is reported
  child.unref();
  return child;
}

function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(file, `${file}.old`);
  const log = openSync(file, 'a', 0o600);
  chmodSync(file, 0o600);
  return log;
}

/** Kills the whole session of a server that ignores its stop signal. */
function killSession(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
}
