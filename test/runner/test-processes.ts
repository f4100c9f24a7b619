import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { signal } from '../../stack/machine/processes.ts';
import type { Tally } from './tally.ts';
import { reportOfEnded } from './tap-report.ts';

// Longer than any file sets its own time-out. It ends a process whose event loop is blocked or does not empty.
const longestFileMs = 660_000;

// In a terminal the processes stay in the group of this one, so that Ctrl-C reaches all of them.
const ownGroup = !process.stdin.isTTY;

/** What the processes of test files run with. */
export interface RunOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
}

/** Runs groups of test files, each in a process of its own, and adds their reports to a tally. */
export class TestProcesses {
  readonly #tally: Tally;
  readonly #options: RunOptions;
  readonly #running = new Set<ChildProcess>();
  #isStopped = false;

  constructor(tally: Tally, options: RunOptions) {
    this.#tally = tally;
    this.#options = options;
  }

  /** Runs the groups in their order, `jobs` at a time. Returns the highest exit code. */
  async run(groups: readonly (readonly string[])[], jobs: number): Promise<number> {
    const waiting = groups.values();
    const worker = async () => {
      let highest = 0;
      for (const group of waiting) highest = Math.max(highest, await this.#runGroup(group));
      return highest;
    };
    return Math.max(...(await Promise.all(Array.from({ length: jobs }, worker))));
  }

  /** Ends the processes; no further one starts. */
  stop(): void {
    this.#isStopped = true;
    for (const child of this.#running) end(child, 'SIGTERM');
  }

  // The files after one that ended its process run in another process.
  async #runGroup(group: readonly string[]): Promise<number> {
    let highest = 0;
    for (let files = group; files.length > 0 && !this.#isStopped; files = this.#tally.missingOf(group))
      highest = Math.max(highest, await this.#runProcess(files));
    return highest;
  }

  async #runProcess(files: readonly string[]): Promise<number> {
    const { root, env, print } = this.#options;
    const child = spawn(process.execPath, [join(root, 'test/runner/run-files.ts'), ...files], {
      cwd: root,
      env: { ...env, TAP_FAIL_SKIP: '1' },
      stdio: ['ignore', 2, 'inherit', 'pipe'],
      detached: ownGroup,
    });
    this.#running.add(child);
    const ended = endOf(child);
    const watchdog = setTimeout(() => end(child, 'SIGKILL'), longestFileMs);
    const [, , , results] = child.stdio;
    if (!(results instanceof Readable)) throw new Error('The process of the test files has no descriptor 3.');
    const rest = await this.#tally.readAll(results, (text) => {
      watchdog.refresh();
      print(text);
    });
    const { code, how } = await ended;
    clearTimeout(watchdog);
    this.#running.delete(child);
    const [broken] = this.#tally.missingOf(files);
    if (broken !== undefined) this.#tally.add(reportOfEnded(broken, rest, how), print);
    else if (code !== 0 && !this.#tally.hasFailed(files))
      print(`not ok - the process of these files ended with ${how}: ${files.join(', ')}`);
    return code;
  }
}

function end(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid !== undefined) signal(ownGroup ? -child.pid : child.pid, name);
}

interface End {
  readonly code: number;
  readonly how: string;
}

function endOf(child: ChildProcess): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  child.once('error', (error) => resolve({ code: 1, how: String(error) }));
  child.once('close', (code, name) =>
    resolve({ code: code ?? 1, how: name === null ? `exit code: ${code}` : `signal: ${name}` }),
  );
  return promise;
}
