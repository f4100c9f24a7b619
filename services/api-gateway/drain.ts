import type { Server, ServerResponse } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An unused connection stays open for four times DRAIN_MS: 4 s, as long as Node's fetch keeps it. */
const unusedTimes = 4;
const sweepEveryMs = 50;
const inFlightLimitMs = 5500;

/**
 * Ends a server under load. During the drain, every answer closes its connection, so that clients connect to another
 * gateway, and /ready reports the shutdown to load balancers. After `drainMs` no new connection is accepted. A connection
 * that was not used since the drain began stays open for one more request, and is closed if none arrives in four times
 * `drainMs`. Closing it earlier could cut off a request that is being sent.
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

// Requests in flight are answered within `inFlightLimitMs`: an export may take an hour, and an upload may never end.
function end(server: Server, unusedUntil: number, cutAt: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      const now = performance.now();
      if (now >= unusedUntil) server.closeIdleConnections();
      if (now >= cutAt) server.closeAllConnections();
    }, sweepEveryMs);
    // `close` of an HTTP server closes unused connections; the inherited `close` only stops accepting new ones.
    Listener.prototype.close.call(server, () => {
      clearInterval(sweep);
      server.close(); // ends the remaining timer
      resolve();
    });
    if (performance.now() >= unusedUntil) server.closeIdleConnections();
  });
}
