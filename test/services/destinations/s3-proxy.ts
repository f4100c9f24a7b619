import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** What happens to a request: it is passed on, lost before the store, or answered by the store and lost on the way back. */
export type Fate = 'passed' | 'lost' | 'unanswered';

/** A server before a store, which breaks connections. */
export interface Proxy {
  readonly endpoint: string;
  readonly host: string;
  /** Decides about each request that writes or deletes. */
  decide: (request: string) => Fate;
  /** The requests that write or delete, so far. */
  readonly requests: string[];
}

/** Starts a proxy of a store. */
export async function startProxy(t: Test, storeEndpoint: string): Promise<Proxy> {
  const requests: string[] = [];
  const server = http.createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const request = `${method} ${url}`;
    const isWrite = method !== 'GET';
    if (isWrite) requests.push(request);
    const fate = isWrite ? proxy.decide(request) : 'passed';
    if (fate === 'lost') return void incoming.socket.destroy();
    const passed = http.request(`${storeEndpoint}${url}`, { method, headers }, (answer) => {
      if (fate === 'unanswered') {
        answer.resume();
        answer.on('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = address(server.address());
  const host = `127.0.0.1:${port}`;
  const proxy: Proxy = { endpoint: `http://${host}`, host, decide: () => 'passed', requests };
  return proxy;
}

/** A store that gives the same answer to every request, or none. */
export async function startAnswering(
  t: Test,
  answerOf: (bucket: string) => { readonly status: number; readonly body: string } | null,
): Promise<string> {
  const server = http.createServer((incoming, outgoing) => {
    const [, bucket = ''] = (incoming.url ?? '').split(/[/?]/);
    const answer = answerOf(bucket);
    if (answer === null) return;
    incoming.resume();
    outgoing.writeHead(answer.status, { 'Content-Type': 'application/xml' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${address(server.address()).port}`;
}

function address(found: string | AddressInfo | null): AddressInfo {
  if (found === null || typeof found === 'string') throw new Error('no address');
  return found;
}
