import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { z } from 'zod';
import { installedClient } from '../support/client-package.ts';

/** How a run of the program ended. */
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** A run of the program. */
interface Running {
  readonly child: ChildProcess;
  readonly seen: { out: string; notes: string };
  readonly ended: Promise<Ended>;
}

/** The settings and the input of a run. */
interface With {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** `pulsebus` as a user installs it, with a configuration folder of its own. */
export interface Cli {
  readonly program: string;
  readonly configFolder: string;
  readonly start: (args: readonly string[], given?: With) => Running;
  readonly run: (args: readonly string[], given?: With) => Promise<Ended>;
  /** Runs a line of a shell in which `pulsebus` is known. */
  readonly shell: (line: string) => Promise<Ended>;
}

/** Installs the packed client. */
export async function installedCli(t: Test): Promise<Cli> {
  const program = join(await installedClient(t), 'node_modules/.bin/pulsebus');
  const configFolder = mkdtempSync(join(tmpdir(), 'cli-config-'));
  t.teardown(() => rmSync(configFolder, { recursive: true, force: true }));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const own = { PATH: `${join(program, '..')}:${PATH}`, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: configFolder };
  const startAny = (file: string, args: readonly string[], { env = {}, input = '' }: With = {}) => {
    const child = spawn(file, args, { env: { ...own, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    t.teardown(() => child.kill('SIGKILL'));
    child.stdin.end(input);
    const seen = { out: '', notes: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      seen.notes += text;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: z.int().parse(code), ...seen }));
    return { child, seen, ended };
  };
  const start = (args: readonly string[], given?: With) => startAny(program, args, given);
  const run = (args: readonly string[], given?: With) => start(args, given).ended;
  const shell = (line: string) => startAny('bash', ['--norc', '-c', line]).ended;
  return { program, configFolder, start, run, shell };
}
