import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { boundConnections, type ConnectionBounds } from '../../../services/api-gateway/connections.ts';

interface Bounded {
  readonly server: Server;
  readonly size: () => number;
  /** The requests that the server was sent. */
  readonly requests: () => number;
  open(address: string): Promise<Socket>;
}

async function bounded(t: Test, given: Partial<ConnectionBounds>): Promise<Bounded> {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    if (req.url === '/slow') return;
    res.end('answer');
  });
  const unbounded = { MAX_CONNECTIONS: 1000, MAX_CONNECTIONS_PER_ADDRESS: 1000, isProxy: () => false };
  const size = boundConnections(server, { ...unbounded, ...given });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const open = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined); // it may be refused
    socket.resume();
    await new Promise((resolve) => socket.once('connect', resolve));
    await sleep(20);
    return socket;
  };
  return { server, size, requests: () => requests, open };
}

/** Whether the server answers on a connection. */
async function answers(socket: Socket): Promise<boolean> {
  if (socket.closed) return false;
  const answer = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return answer;
}

t.test('each address has a limit of connections; a closed one frees a place', async (t) => {
  const { size, open } = await bounded(t, { MAX_CONNECTIONS_PER_ADDRESS: 2 });
  const first = await open('127.0.0.2');
  await open('127.0.0.2');
  t.notOk(await answers(await open('127.0.0.2')), 'a third one');
  t.ok(await answers(await open('127.0.0.3')), 'another address');
  t.equal(size(), 3);
  first.destroy();
  while (size() > 2) await sleep(10);
  t.ok(await answers(await open('127.0.0.2')));
  t.equal(size(), 3);
});

t.test('a trusted proxy has no limit of connections', async (t) => {
  const isProxy = (address: string) => address === '127.0.0.9';
  const { open } = await bounded(t, { MAX_CONNECTIONS_PER_ADDRESS: 1, isProxy });
  await open('127.0.0.9');
  t.ok(await answers(await open('127.0.0.9')));
});

t.test('when all connections are used, an idle one of the address with the most is closed', async (t) => {
  const { size, requests, open } = await bounded(t, { MAX_CONNECTIONS: 3 });
  const working = await open('127.0.0.2');
  working.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  const sending = await open('127.0.0.2');
  sending.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx');
  const idle = await open('127.0.0.2');
  while (requests() < 2) await sleep(10);
  t.ok(await answers(await open('127.0.0.3')));
  t.same([working.closed, sending.closed, idle.closed], [false, true, false], 'a body under way is no work');
  t.equal(size(), 3);
  t.ok(await answers(await open('127.0.0.4')));
  t.same([working.closed, idle.closed], [false, true]);
});

t.test('the address with the most connections is refused; a proxy loses none', async (t) => {
  const isProxy = (address: string) => address === '127.0.0.9';
  const { open } = await bounded(t, { MAX_CONNECTIONS: 3, isProxy });
  const proxied = [await open('127.0.0.9'), await open('127.0.0.9')];
  const own = await open('127.0.0.2');
  t.notOk(await answers(await open('127.0.0.2')));
  t.notOk(await answers(await open('127.0.0.3')), 'one connection for one is no gain');
  t.same(
    [...proxied, own].map(({ closed }) => closed),
    [false, false, false],
  );
});
