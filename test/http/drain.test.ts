import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { keepAlive, send } from '../faults/support/http.ts';
import { startApi } from '../support/api.ts';

t.test(
  'a connection that was open before a stop gets one more answer after new connections are refused',
  async (t) => {
    const api = await startApi(t, { DRAIN_MS: '300' });
    const health = { origin: api.url, method: 'GET', path: '/api/v1/health' };
    const open = [keepAlive(1), keepAlive(1)];
    for (const agent of open) t.equal((await send(agent, health)).headers.connection, 'keep-alive');
    const unused = open[1] ?? keepAlive(1);
    const [socket] = Object.values(unused.freeSockets).flat();
    const closed = new Promise((resolve) => socket?.once('close', () => resolve('closed')));

    const stopped = api.broker.stop();
    const port = Number(new URL(api.url).port);
    while (await isLetIn(port)) await sleep(20);
    const last = await send(open[0] ?? unused, health);
    t.equal(last.status, 200, 'a request that came over an old connection');
    t.equal(last.headers.connection, 'close');
    await stopped;
    t.equal(await closed, 'closed', 'one that nobody used does not hold the stop up for ever');
    for (const agent of open) agent.destroy();
  },
);

function isLetIn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
