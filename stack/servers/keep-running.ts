import { setTimeout as sleep } from 'node:timers/promises';

/** A server that answers. */
export interface RunningServer {
  /** Resolves with the reason if the server ends without being stopped. */
  readonly endedByItself: Promise<string>;
  stop(): Promise<void>;
}

/** Pauses before a server that ended by itself is started again. After the last one it is given up. */
export const defaultRestartPausesMs: readonly number[] = [500, 1000, 2000, 4000, 8000, 16_000];
/** A server that ran for so long starts with the first pause again. */
const settledAfterMs = 60_000;

/** How a server is started again, and how often. */
export interface Restarts {
  readonly pausesMs: readonly number[];
  /** Starts it where it was: the processes that use it have its address. */
  start(): Promise<RunningServer>;
  log(line: string): void;
}

/** Starts a server again when it ends by itself. The returned one ends by itself only when it is given up. */
export function keepRunning(first: RunningServer, { pausesMs, start, log }: Restarts): RunningServer {
  const givenUp = Promise.withResolvers<string>();
  const stopped = new AbortController();
  let current = first;
  let starting: Promise<void> = Promise.resolve();
  const restart = async () => {
    let restarts = 0;
    let since = performance.now();
    let reason = await current.endedByItself;
    while (!stopped.signal.aborted) {
      if (performance.now() - since > settledAfterMs) restarts = 0;
      const pauseMs = pausesMs[restarts];
      if (pauseMs === undefined) return givenUp.resolve(reason);
      restarts += 1;
      log(`${reason} It is started again in ${pauseMs} ms (${restarts} of ${pausesMs.length}).`);
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      since = performance.now();
      starting = start().then((server) => {
        current = server;
      });
      try {
        await starting;
        reason = await current.endedByItself;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  };
  void restart();
  return {
    endedByItself: givenUp.promise,
    async stop() {
      stopped.abort();
      await starting.catch(() => undefined);
      await current.stop();
    },
  };
}
