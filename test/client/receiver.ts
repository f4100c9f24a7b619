import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Test } from 'tap';
import { z } from 'zod';

/** A receiver of webhooks. It answers 200, or passes messages to another receiver. */
export interface Receiver {
  readonly url: string;
  /** From now on messages go to this server, and have its answers. */
  passTo(url: string): void;
}

/** Starts it on a free port, until the test ends. Its address is known before the product starts. */
export async function startReceiver(t: Test): Promise<Receiver> {
  let target: string | null = null;
  const server = createServer(async (request, response) => {
    response.statusCode = await statusOf(request, target).catch(() => 502);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    passTo: (url) => {
      target = url;
    },
  };
}

async function statusOf(request: IncomingMessage, target: string | null): Promise<number> {
  const body = Buffer.concat(await request.toArray());
  if (target === null) return 200;
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = names.map((name): [string, string] => [name, String(request.headers[name])]);
  return (await fetch(`${target}${request.url}`, { method: 'POST', headers, body })).status;
}
