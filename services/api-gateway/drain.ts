import type { Server, ServerResponse } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection that nobody uses stays open for four times DRAIN_MS: 4 s, as long as Node's fetch keeps one by itself. */
const unusedTimes = 4;
const sweepEveryMs = 50;
const inFlightLimitMs = 5500;

/**
 * Ends a server under load. From now on every answer is the last on its connection, so whoever holds one open finds
 * another gateway; load balancers hear from /ready that we go. After `drainMs` nobody is let in any more. A connection
 * that is still open then has not been used since the drain began: it stays for its next request, which is answered and
 * ends it, and is closed only when none came in four times `drainMs`. Closing it at once would cut off what is on its way.
 */
export async function drain(server: Server, drainMs: number): Promise<void> {
  const unusedUntil = performance.now() + unusedTimes * drainMs;
  const cutAt = performance.now() + inFlightLimitMs;
  server.prependListener('request', (_, res: ServerResponse) => res.setHeader('Connection', 'close'));
  await sleep(drainMs);
  await end(server, unusedUntil, cutAt);
}

/** Ends a server at once: requests in flight are answered, unused connections closed. */
export function close(server: Server): Promise<void> {
  return end(server, performance.now(), performance.now() + inFlightLimitMs);
}

// Requests in flight are answered, for a while: an export may take an hour, and an upload may never end.
function end(server: Server, unusedUntil: number, cutAt: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      const now = performance.now();
      if (now >= unusedUntil) server.closeIdleConnections();
      if (now >= cutAt) server.closeAllConnections();
    }, sweepEveryMs);
    // An HTTP server closes unused connections when it is told to close; what it inherits only lets nobody in.
    Listener.prototype.close.call(server, () => {
      clearInterval(sweep);
      server.close(); // what is left of it is a timer
      resolve();
    });
    if (performance.now() >= unusedUntil) server.closeIdleConnections();
  });
}
