import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { type ConnectDeps, visitorLink } from '../../sandbox/connect/connect-users.ts';

/** A permanent address for a browser. Each visit is redirected to the connect page by a new link. */
export interface ConnectLink {
  readonly url: string;
  stop(): Promise<void>;
}

const Address = z.object({ port: z.int() });

/**
 * Serves the address on loopback. A link of the API is valid for 30 minutes, this address as long as the product runs.
 */
export async function serveConnectLink(connecting: ConnectDeps): Promise<ConnectLink> {
  const server = createServer((request, response) => void show(connecting, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = Address.parse(server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function show(
  connecting: ConnectDeps,
  { headers, method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, more: Record<string, string> = {}) =>
    response.writeHead(status, { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...more });
  // Other host names are rejected, because DNS rebinding would let any web page use this address.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '')) return void answer(403).end();
  if (method !== 'GET') return void answer(405, { Allow: 'GET' }).end();
  if (url !== '/') return void answer(404).end();
  try {
    const link = await visitorLink(connecting);
    answer(303, { Location: link.url }).end();
  } catch {
    answer(503, { 'Content-Type': 'text/plain' }).end('No link could be made now. Try again in a moment.\n');
  }
}
