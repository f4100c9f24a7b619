import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Duplex, Readable } from 'node:stream';
import { signal } from '../../stack/machine/processes.ts';
import { drivesBrowser } from './file-groups.ts';
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

/**
 * Runs groups of test files and adds their reports to a tally. A process that has run a group takes the next one: loading
 * the product takes 1.2 s of processor time in each. Files that drive a browser have a process of their own, which ends the
 * browser.
 */
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
      for (const group of waiting) highest = Math.max(highest, await this.#runFrom(group, waiting));
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
  async #runFrom(group: readonly string[], waiting: Iterator<readonly string[]>): Promise<number> {
    const queue = new FileQueue(group, waiting);
    let highest = 0;
    do highest = Math.max(highest, await this.#runProcess(queue));
    while (queue.hasMore && !this.#isStopped);
    return highest;
  }

  async #runProcess(queue: FileQueue): Promise<number> {
    const { root, env, print } = this.#options;
    const child = spawn(process.execPath, [join(root, 'test/runner/run-files.ts')], {
      cwd: root,
      env: { ...env, TAP_FAIL_SKIP: '1' },
      stdio: ['ignore', 2, 'inherit', 'pipe', 'pipe'],
      detached: ownGroup,
    });
    this.#running.add(child);
    const ended = endOf(child);
    const watchdog = setTimeout(() => end(child, 'SIGKILL'), longestFileMs);
    const [, , , results, requests] = child.stdio;
    if (!(results instanceof Readable && requests instanceof Duplex))
      throw new Error('The process of the test files lacks a descriptor.');
    const files: string[] = [];
    requests.on('error', () => undefined); // the process ended while it was answered
    createInterface({ input: requests }).on('line', () => {
      const file = this.#isStopped ? undefined : queue.next();
      if (file === undefined) return requests.end();
      files.push(file);
      requests.write(`${file}\n`);
    });
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

/** The files of one process after another: those of a group, then those of the groups that nobody has taken. */
class FileQueue {
  readonly #waiting: Iterator<readonly string[]>;
  #files: string[];
  #isEnded: boolean;

  constructor(group: readonly string[], waiting: Iterator<readonly string[]>) {
    this.#files = [...group];
    this.#waiting = waiting;
    this.#isEnded = group.some(drivesBrowser);
  }

  /** Whether files are left of the group, which no other process runs. */
  get hasMore(): boolean {
    return this.#files.length > 0;
  }

  next(): string | undefined {
    if (this.#files.length === 0 && !this.#isEnded) {
      const { value, done } = this.#waiting.next();
      this.#isEnded = done === true;
      this.#files = done === true ? [] : [...value];
    }
    return this.#files.shift();
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
