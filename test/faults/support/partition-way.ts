import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A way to a server that can be cut: packets are held, and no connection is closed, as in a partition of a network. */
export interface PartitionWay {
  readonly port: number;
  cut(): void;
  heal(): void;
}

/** Puts a proxy before a port of this machine. */
export async function partitionWay(t: Test, target: number): Promise<PartitionWay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const pass = (from: Socket, into: Socket) => {
    sockets.add(from);
    if (isCut) from.pause();
    from.on('data', (chunk: Buffer) => {
      if (!into.write(chunk)) from.pause();
    });
    into.on('drain', () => {
      if (!isCut) from.resume();
    });
    from.on('error', () => into.destroy());
    // The end of a connection does not cross a partition either.
    from.on('close', () => {
      sockets.delete(from);
      if (!isCut) into.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
    if (isCut) for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: address.port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
