import { messageForOperator } from './start-error.ts';

const stopLimitMs = 20_000;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Control of a program that runs until a signal. */
export interface Lifetime {
  /** Aborted when the stop begins. */
  readonly signal: AbortSignal;
  /** Stops everything and exits 1, as after a failed start. */
  fail(error: Error): void;
  /** Registers how to stop something that was started. */
  started(stop: () => Promise<unknown>): void;
}

/**
 * Runs a program until SIGINT, SIGTERM or SIGHUP. Then stops what it started, in reverse order, and exits 0. npm
 * forwards a Ctrl-C that the terminal has already sent, so a second signal does not cut the stop short. `say` receives
 * a line when the stop begins and one when it is done. Other `signals` than those given are ignored.
 */
export async function runUntilSignal(
  program: (lifetime: Lifetime) => Promise<void>,
  say: (line: string) => void = () => undefined,
  signals: readonly NodeJS.Signals[] = stopSignals,
): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  const abort = new AbortController();
  const end = async (code: number) => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => giveUp(say), stopLimitMs).unref();
    for (const stop of stops.splice(0).reverse()) await stop().catch(reportFailedStop);
    if (code === 0) say('Stopped. The data is kept for the next start.');
    process.exit(code);
  };
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (!signals.includes(signal)) return;
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

function reportFailedStop(error: unknown): void {
  console.error('a part did not stop cleanly:', error instanceof Error ? error.message : typeof error);
}
