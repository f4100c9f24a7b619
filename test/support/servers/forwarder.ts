import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Test } from 'tap';

/** An address that is known before the gateway has a port. It forwards each request to `target`, as a proxy does. */
export interface Forwarder {
  readonly url: string;
  forwardTo(target: string): void;
}

/** Starts a forwarder and stops it with the test. */
export async function startForwarder(t: Test): Promise<Forwarder> {
  let target = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET' } = request;
    const answer = await fetch(`${target}${request.url}`, {
      ...{ method, redirect: 'manual', headers: forwarded(request.headers) },
      ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    }).catch(() => null);
    response.writeHead(answer?.status ?? 502, { location: answer?.headers.get('location') ?? '' });
    response.end(await answer?.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo(url) {
      target = url;
    },
  };
}

const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ownHeaders.has(name) || typeof value !== 'string' ? [] : [[name, value]],
    ),
  );
}
