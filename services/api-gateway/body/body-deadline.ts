import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../domain/errors.ts';
import type { Reading } from './body-reading.ts';

const leastBytesPerMs = 256;

/**
 * The maximum duration of a body of which `bytes` have arrived. Each byte adds the time of the minimum rate (256 kB/s):
 * 128 MiB may take 10 minutes, and a slow trickle gains almost no time.
 */
export function allowedMs(timeoutMs: number, bytes: number): number {
  return timeoutMs + bytes / leastBytesPerMs;
}

/** Ends a reading with BODY_TIMEOUT (408) if the body arrives too slowly. Returns the function that stops the timer. */
export function endWhenSlow(
  { socket }: IncomingMessage,
  { timeoutMs, ending }: Pick<Reading, 'timeoutMs' | 'ending'>,
): () => void {
  const beganMs = performance.now();
  const bytesBefore = socket.bytesRead;
  const check = () => {
    const elapsedMs = performance.now() - beganMs;
    const leftMs = allowedMs(timeoutMs, socket.bytesRead - bytesBefore) - elapsedMs;
    if (leftMs <= 0) ending.abort(new ServiceError('BODY_TIMEOUT'));
    else timer = setTimeout(check, leftMs);
  };
  let timer = setTimeout(check, timeoutMs);
  return () => clearTimeout(timer);
}
