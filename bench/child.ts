import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { startFlags } from './checkout.ts';

/** A child process of the bench that answers requests of this process. */
export interface Child {
  readonly pid: number;
  /** Sends a request and parses the answer. @throws Error if the child fails or ends */
  ask<T>(answer: z.ZodType<T>, request: object): Promise<T>;
  stop(): Promise<void>;
}

/** A message of a child: the answer to a request, by its number. */
const Reply = z.object({ id: z.int(), answer: z.unknown(), error: z.string().nullable() });
const stopMs = 15_000;

/**
 * Starts a file of the bench as a child process; `env` is its whole environment except PATH. `flags`: those of V8, by
 * default as `npm start` runs.
 */
export function startChild(
  file: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = startFlags(),
): Child {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const child = fork(file, [], {
    env: { PATH, HOME, TMPDIR, ...env },
    serialization: 'advanced',
    execArgv: [...flags],
  });
  const open = new Map<number, { settle: (answer: unknown) => void; fail: (error: Error) => void }>();
  child.on('message', (message) => {
    const { id, answer, error } = Reply.parse(message);
    const one = open.get(id);
    open.delete(id);
    if (error === null) one?.settle(answer);
    else one?.fail(new Error(error));
  });
  child.on('exit', (code) => {
    for (const { fail } of open.values()) fail(new Error(`${file} ended with ${code}`));
  });
  let last = 0;
  return {
    pid: child.pid ?? 0,
    async ask(answer, request) {
      const id = ++last;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      open.set(id, { settle: resolve, fail: reject });
      child.send({ id, request }, (error) => error !== null && reject(error));
      return answer.parse(await promise);
    },
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exit;
  clearTimeout(late);
}
