import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A server at an address of its own, which may vanish. */
export interface FakeHost {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Open connections. */
  connections(): number;
  /** Closes the port and all connections. */
  vanish(): Promise<void>;
}

/** A way to a database server by another address. */
export function hostBefore(t: Test, url: string): Promise<FakeHost> {
  const target = new URL(url);
  return host(t, (client, sockets) => {
    const upstream = connect(Number(target.port), target.hostname);
    sockets.add(upstream);
    client.pipe(upstream).pipe(client);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
}

/** A server that lets anybody in and says that it is a standby. */
export function standbyHost(t: Test): Promise<FakeHost> {
  return host(t, (client) => {
    let isStarted = false;
    client.on('data', (chunk: Buffer) => {
      if (chunk.subarray(0, 1).toString() === 'X') return client.end();
      if (isStarted) return void client.write(recoveryAnswer);
      isStarted = true;
      client.write(Buffer.concat([message('R', [0, 0, 0, 0]), standbyStatus, message('Z', text('I'))]));
    });
  });
}

async function host(t: Test, serve: (client: Socket, sockets: Set<Socket>) => void): Promise<FakeHost> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    serve(client, sockets);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const vanish = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(vanish);
  return { address: `127.0.0.1:${portOf(server)}`, connections: () => sockets.size, vanish };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

const text = (value: string) => [...Buffer.from(value)];

// A message of PostgreSQL's protocol: its type, its length with these four bytes, and its content.
function message(type: string, content: readonly number[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

const standbyStatus = message('S', [...text('in_hot_standby'), 0, ...text('on'), 0]);
const column = (name: string, type: number) => [
  ...text(name),
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  type,
  0,
  1,
  255,
  255,
  255,
  255,
  0,
  0,
];
const recoveryAnswer = Buffer.concat([
  message('T', [0, 2, ...column('is_read_only', 16), ...column('timeline', 25)]),
  message('D', [0, 2, 0, 0, 0, 1, ...text('t'), 255, 255, 255, 255]),
  message('C', [...text('SELECT 1'), 0]),
  message('Z', text('I')),
]);
