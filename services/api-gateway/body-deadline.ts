import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../domain/errors.ts';
import type { Reading } from './body-reading.ts';

const leastBytesPerMs = 256;

/**
 * How long a body may take of which `bytes` have come. Each byte adds the time that the least rate (256 kB/s) allows
 * for it: 128 MiB have 10 minutes, and a trickle gains almost nothing.
 */
export function allowedMs(timeoutMs: number, bytes: number): number {
  return timeoutMs + bytes / leastBytesPerMs;
}

/** Ends a reading with BODY_TIMEOUT (408) when its body comes too slowly. Returns what stops the watch. */
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
