import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

/** A program that runs until the test ends it. */
export interface RunningProgram {
  /** The next line of its output that matches. @throws Error if it ends before */
  line(pattern: RegExp): Promise<RegExpExecArray>;
}

/** The output of a program. @throws Error with its output if it fails */
export async function outputOf(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const child = start(cwd, args, env);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${text}`);
  return text;
}

/** Starts a program and reads its lines. */
export function running(
  t: Test,
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): RunningProgram {
  const child = start(cwd, args, env);
  t.teardown(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  child.stderr?.resume();
  if (child.stdout === null) throw new Error('the program has no output');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async line(pattern) {
      for (;;) {
        const { value, done } = await lines.next();
        const found = done ? undefined : pattern.exec(value);
        if (done) throw new Error(`${args.join(' ')} ended before ${pattern}`);
        if (found) return found;
      }
    },
  };
}

function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
