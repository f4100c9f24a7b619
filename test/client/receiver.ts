import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { z } from 'zod';

/** A receiver of webhooks that answers 200 and counts. */
export interface Receiver {
  readonly url: string;
}

/** Starts it on a free port, until the test ends. */
export async function startReceiver(t: Test): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('ok'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${z.object({ port: z.int() }).parse(server.address()).port}` };
}
