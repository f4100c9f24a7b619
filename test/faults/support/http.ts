import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** One raw request, which is sent unchanged. */
export interface RawRequest {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | string | undefined;
}

/** One answer; `headers` in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const patienceMs = 60_000;

/** Sends a request and reads the whole answer. @throws the socket's error when the connection dies first. */
export function send(agent: Agent, { origin, method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { hostname, port } = new URL(origin);
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const req = request(
    { agent, hostname, port, method, path, headers: { ...length, ...headers }, timeout: patienceMs },
    (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    },
  );
  req.once('timeout', () => req.destroy(new Error('no answer')));
  req.once('error', reject);
  req.end(body);
  return promise;
}

/** Connections that stay open between requests. */
export function keepAlive(connections: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
}
