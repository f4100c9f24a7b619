import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Connecting, visitorsLink } from '../sandbox/connecting.ts';

/** An address for a browser: each visit is sent on to a consent page by a link of its own. */
export interface Door {
  readonly url: string;
  stop(): Promise<void>;
}

const Address = z.object({ port: z.int() });

/** Opens the door on loopback; a link of the API is good for 15 minutes, the door as long as the product runs. */
export async function openDoor(connecting: Connecting): Promise<Door> {
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
  connecting: Connecting,
  { headers, method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, more: Record<string, string> = {}) =>
    response.writeHead(status, { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...more });
  // A name that leads here from elsewhere would let any page in a browser in.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '')) return void answer(403).end();
  if (method !== 'GET') return void answer(405, { Allow: 'GET' }).end();
  if (url !== '/') return void answer(404).end();
  try {
    const link = await visitorsLink(connecting);
    answer(303, { Location: link.url }).end();
  } catch {
    answer(503, { 'Content-Type': 'text/plain' }).end('No link could be made now. Try again in a moment.\n');
  }
}
