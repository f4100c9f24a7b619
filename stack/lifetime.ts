import { ConfigError } from '../config.ts';

const stopLimitMs = 20_000;

/** A program that runs until a signal ends it. */
export interface Lifetime {
  /** Aborted when the end has begun. */
  readonly signal: AbortSignal;
  /** Says how to stop what was started just now. */
  started(stop: () => Promise<unknown>): void;
}

/**
 * Runs a program until SIGINT, SIGTERM or SIGHUP; then stops what it started, in the reverse order, and exits 0.
 * npm passes a Ctrl-C on that the terminal sent already: a second signal must not cut the stop short.
 */
export async function live(program: (lifetime: Lifetime) => Promise<void>): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  const abort = new AbortController();
  const end = async (code: number) => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    for (const stop of stops.splice(0).reverse()) await stop().catch(tell);
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
  try {
    await program({ signal: abort.signal, started: (stop) => stops.push(stop) });
  } catch (error) {
    if (abort.signal.aborted) return;
    console.error(error instanceof ConfigError ? error.message : error);
    await end(1);
  }
}

function tell(error: unknown): void {
  console.error('a part did not stop cleanly:', error instanceof Error ? error.message : typeof error);
}
