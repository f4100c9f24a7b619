import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';

/** The endpoints of the bench. */
export interface Receiver {
  readonly origin: string;
  /** Milliseconds from the record of a change to its receipt, of all requests to good endpoints since the last call. */
  times(): Promise<number[]>;
  stop(): Promise<void>;
}

/** Starts the endpoints in a process of their own. */
export async function startReceiver(): Promise<Receiver> {
  const child = startChild(join(import.meta.dirname, 'receiver-process.ts'));
  return {
    origin: await child.ask(z.url(), { kind: 'listen' }),
    times: () => child.ask(z.array(z.number()), { kind: 'times' }),
    stop: () => child.stop(),
  };
}
