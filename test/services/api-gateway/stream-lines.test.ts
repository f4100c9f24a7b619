import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { streamLines } from '../../../services/api-gateway/work/streams.ts';

const all = 400_000;

/** A server that streams `all` lines of 1 kB. `made` counts produced lines; `ended`: no more are requested. */
async function startStream(t: Test) {
  const state = { made: 0, ended: false };
  async function* lines() {
    try {
      for (; state.made < all; state.made += 1) yield { line: state.made, text: 'x'.repeat(1000) };
    } finally {
      state.ended = true;
    }
  }
  const server = createServer((_, res) => void streamLines(res, lines()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const request = get({ port, host: '127.0.0.1' });
  request.on('error', () => undefined);
  const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  return { state, response };
}

/** Waits until the count has stood still for a second. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); await sleep(1000)) before = count();
  return count();
}

t.test('a stream is no faster than its reader', async (t) => {
  const { state, response } = await startStream(t);
  const made = await settled(() => state.made);
  t.ok(made < all / 10, `${made} lines are in buffers`);
  response.resume();
  response.once('data', () => response.pause());
  await once(response, 'pause');
  const later = await settled(() => state.made);
  t.ok(later < all / 5, `${later} lines are in buffers`);
  response.destroy();
});

t.test('a stream that fails is cut off, so that its reader gets an error', async (t) => {
  async function* lines() {
    yield 1;
    yield 2;
    throw new Error('the database went away');
  }
  const server = createServer((_, res) => void streamLines(res, lines()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await t.rejects(fetch(`http://127.0.0.1:${port}/`).then((response) => response.text()));
});

t.test('a reader that disconnects ends the stream', async (t) => {
  const { state, response } = await startStream(t);
  await settled(() => state.made);
  response.destroy();
  while (!state.ended) await sleep(20);
  t.ok(state.made < all);
});

t.test('a reader that is slow for long leaves no listener for each part', async (t) => {
  const listeners: number[] = [];
  const server = createServer((_, res) => {
    async function* lines() {
      for (let n = 0; n < 100; n += 1) {
        listeners.push(res.listenerCount('close'));
        yield 'x'.repeat(64 * 1024);
      }
    }
    void streamLines(res, lines());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const text = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
  t.ok(text.length > 100 * 64 * 1024);
  t.equal(listeners.at(-1), listeners[0]);
});
