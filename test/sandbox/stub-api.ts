import { createServer } from 'node:http';
import type { Test } from 'tap';
import { z } from 'zod';

/** An answer of the stub API. */
interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** An API with chosen answers that records `METHOD /path` of every request. */
export interface StubApi {
  readonly url: string;
  readonly log: string[];
  answer: () => Answer;
}

const Address = z.object({ port: z.number() });

/** Starts a stub of the API and stops it with the test. */
export async function stubApi(t: Test): Promise<StubApi> {
  const log: string[] = [];
  const server = createServer((incoming, response) => {
    log.push(`${incoming.method} ${incoming.url}`);
    const { status, headers, body = { detail: 'No.' } } = api.answer();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${Address.parse(server.address()).port}`;
  const api: StubApi = { url, log, answer: () => ({ status: 200, body: { total: 0 } }) };
  return api;
}
