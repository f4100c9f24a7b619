import { fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { startFlags } from './checkout.ts';

/** A child process of the bench that answers requests of this process. */
export interface Child {
  readonly pid: number;
  /** Sends a request and parses the answer. @throws Error if the child fails or ends */
  ask<T>(answer: z.ZodType<T>, request: { readonly kind: string }): Promise<T>;
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
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', (message) => {
    const { id, answer, error } = Reply.parse(message);
    if (error === null) open.get(id)?.resolve(answer);
    else open.get(id)?.reject(new Error(error));
    open.delete(id);
  });
  child.on('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`${file} ended with ${code}`));
  });
  let last = 0;
  return {
    pid: child.pid ?? 0,
    async ask(answer, request) {
      const id = ++last;
      const settled = Promise.withResolvers<unknown>();
      open.set(id, settled);
      child.send({ id, request }, (error) => error !== null && settled.reject(error));
      return answer.parse(await settled.promise);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await exit;
      clearTimeout(late);
    },
  };
}
