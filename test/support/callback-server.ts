import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import type { Test } from 'tap';

/** What a played provider does with one request. */
export type Answering = (req: IncomingMessage, res: ServerResponse) => void;

/** A provider's API on loopback; `asked` lists the paths with their queries, in order. */
export interface CallbackServer {
  readonly origin: string;
  readonly port: number;
  readonly asked: string[];
  /** How requests are answered from now on. */
  answer(answering: Answering): void;
}

/** Starts a provider that answers 404 until `answer` is set. */
export async function startCallbackServer(t: Test, host = '127.0.0.1'): Promise<CallbackServer> {
  let answering: Answering = (_req, res) => void res.writeHead(404).end();
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    answering(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    origin: `http://${name}:${port}`,
    port,
    asked,
    answer: (given) => {
      answering = given;
    },
  };
}

/** Sends a value as JSON. */
export function json(value: unknown, headers: Record<string, string> = {}): Answering {
  return (_req, res) =>
    void res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** A listener that must stay silent: `connections` counts whoever came. */
export interface SilentListener {
  readonly port: number;
  connections(): number;
}

/** Starts a listener on all addresses of this machine, or one of them. */
export async function startSilentListener(t: Test, host = '::'): Promise<SilentListener> {
  let count = 0;
  const server = createListener((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}
