const ticks = 20;

/** A limit of time for one piece of work. */
export interface AwakeTimeout extends Disposable {
  /** Aborts with a TimeoutError. */
  readonly signal: AbortSignal;
}

/**
 * A limit that counts the time in which this process runs. While a machine stands still, an answer may arrive: the limit
 * of `AbortSignal.timeout` would pass before the answer is read, and with the answer of a token endpoint the only valid
 * refresh token would be lost. Here a pause counts as a twentieth of the limit, whatever its length.
 */
export function awakeTimeout(limitMs: number): AwakeTimeout {
  const controller = new AbortController();
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    controller.abort(new DOMException(`no end within ${limitMs} ms`, 'TimeoutError'));
  }, limitMs / ticks);
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
