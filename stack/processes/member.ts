import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Settings of a process, as text by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A process of a cluster: its name in the log, and its environment. */
export interface Member {
  readonly title: string;
  readonly environment: Environment;
}

type Say = (line: string) => void;
/** Starts the process of a member. */
export type Launch = (member: Member, say: Say) => ChildProcess;

const firstPauseMs = 500;
const longestPauseMs = 30_000;
const settledAfterMs = 60_000;
const killAfterMs = 12_000;
const program = join(import.meta.dirname, 'process.ts');
/** As in a container: larger ones take more memory than time. */
const flags = ['--max-semi-space-size=16', '--max-old-space-size=768'];

/** Keeps a process running. The returned function stops it for good, with a signal first. */
export function startMember(member: Member, say: Say, launch: Launch = spawnMember): () => Promise<void> {
  let child: ChildProcess | null = null;
  let ending = false;
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    const began = Date.now();
    child = launch(member, say);
    child.once('exit', (code, signal) => {
      child = null;
      if (ending) return;
      if (Date.now() - began > settledAfterMs) pauseMs = firstPauseMs;
      say(`${member.title} ended (${signal ?? code}); again in ${pauseMs} ms`);
      timer = setTimeout(run, pauseMs);
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    });
  };
  run();
  return async () => {
    ending = true;
    clearTimeout(timer);
    if (child !== null) await stop(child);
  };
}

// A process group of its own: Ctrl-C in a terminal reaches only the cluster, which stops the processes in order. Each
// process ends when the pipe to its input closes, so also if the cluster is killed.
function spawnMember({ title, environment }: Member, say: Say): ChildProcess {
  const child = spawn(process.execPath, [...flags, program, '--with-parent'], {
    env: { ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => say(`${title.padEnd(22)} ${line}`));
  }
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await gone;
  clearTimeout(late);
}
