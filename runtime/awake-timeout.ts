const ticks = 20;
/** The longest time between two ticks of a process that runs. What is longer is a pause. */
const longestTickMs = 1000;

/** A limit of time for one piece of work. */
export interface AwakeTimeout extends Disposable {
  /** Aborts with a TimeoutError. */
  readonly signal: AbortSignal;
}

/**
 * A limit that counts the time in which this process runs. While a machine stands still, an answer may arrive: the limit
 * of `AbortSignal.timeout` would pass before the answer is read, and with the answer of a token endpoint the only valid
 * refresh token would be lost. Here a pause counts as a second, and the limit does not pass at its end.
 */
export function awakeTimeout(limitMs: number): AwakeTimeout {
  const controller = new AbortController();
  let [last, spentMs] = [performance.now(), 0];
  const timer = setInterval(
    () => {
      const now = performance.now();
      const tickMs = now - last;
      last = now;
      spentMs += Math.min(tickMs, longestTickMs);
      if (spentMs < limitMs || tickMs > longestTickMs) return;
      clearInterval(timer);
      controller.abort(new DOMException(`no end within ${limitMs} ms`, 'TimeoutError'));
    },
    Math.min(limitMs / ticks, longestTickMs / 2),
  );
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
