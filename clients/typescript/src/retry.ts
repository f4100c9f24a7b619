import { ConnectionError, type PulsebusError } from './errors.ts';

const firstDelayMs = 500;
const longestDelayMs = 8000;

/**
 * The delay before a request is repeated: Retry-After if the response has one, otherwise a random part of a delay that
 * doubles. Null if the error is permanent, or Retry-After exceeds the limit.
 */
export function retryDelayMs(
  error: PulsebusError | ConnectionError,
  attempt: number,
  maxRetryAfterSeconds: number,
): number | null {
  if (!isTemporary(error)) return null;
  const seconds = error instanceof ConnectionError ? null : error.retryAfterSeconds;
  if (seconds !== null) return seconds > maxRetryAfterSeconds ? null : seconds * 1000;
  const longest = Math.min(firstDelayMs * 2 ** attempt, longestDelayMs);
  return longest / 2 + (Math.random() * longest) / 2;
}

function isTemporary(error: PulsebusError | ConnectionError): boolean {
  if (error instanceof ConnectionError) return true;
  if (error.code === 'IDEMPOTENCY_KEY_IN_WORK') return true;
  return error.status === 429 || error.status === 503;
}

/** Waits. @throws the reason of the signal as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
