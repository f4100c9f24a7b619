import { messageForOperator } from './start-error.ts';

const stopLimitMs = 20_000;

/** A program that runs until a signal ends it. */
export interface Lifetime {
  /** Aborted when the end has begun. */
  readonly signal: AbortSignal;
  /** Stops everything, as a failed start does. */
  fail(error: Error): void;
  /** Says how to stop what was started just now. */
  started(stop: () => Promise<unknown>): void;
}

/**
 * Runs a program until SIGINT, SIGTERM or SIGHUP; then stops what it started, in the reverse order, and exits 0.
 * npm passes a Ctrl-C on that the terminal sent already: a second signal must not cut the stop short. `say` receives a
 * line when the stop begins and one when it is done.
 */
export async function live(
  program: (lifetime: Lifetime) => Promise<void>,
  say: (line: string) => void = () => undefined,
): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  const abort = new AbortController();
  const end = async (code: number) => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => giveUp(say), stopLimitMs).unref();
    for (const stop of stops.splice(0).reverse()) await stop().catch(tell);
    if (code === 0) say('Stopped. The data is kept for the next start.');
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!abort.signal.aborted) say(`\n${signal}: stopping. Requests in work are answered first.`);
      void end(0);
    });
  const fail = async (error: unknown) => {
    if (abort.signal.aborted) return;
    console.error(messageForOperator(error) ?? error);
    await end(1);
  };
  const started = (stop: () => Promise<unknown>) => void stops.push(stop);
  await program({ signal: abort.signal, started, fail: (error) => void fail(error) }).catch(fail);
}

function giveUp(say: (line: string) => void): never {
  say(`Not everything stopped within ${stopLimitMs / 1000} s: it is ended now.`);
  process.exit(1);
}

function tell(error: unknown): void {
  console.error('a part did not stop cleanly:', error instanceof Error ? error.message : typeof error);
}
