import { createServer as createSecureServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { newPoster, type PosterRules } from '../../runtime/http/guarded-post.ts';
import { startCallbackServer, startSilentListener } from '../support/callback-server.ts';
import { selfSigned } from '../support/servers/self-signed.ts';

const server = await startCallbackServer(t);
const url = new URL(`${server.origin}/hook`);
const message = { headers: { 'content-type': 'application/json', 'webhook-id': 'm1' }, body: '{"a":1}' };

function posting(t: Test, rules: Partial<PosterRules> = {}) {
  const poster = newPoster({ origins: [server.origin], ...rules });
  t.teardown(() => poster.close());
  return (to: URL = url, { totalMs = 5000, connectMs = 2000, signal = new AbortController().signal } = {}) =>
    poster.post(to, message, { connectMs, totalMs, signal });
}

/** A server that sends raw bytes as its answer to each connection. */
async function startRawServer(t: Test, answer: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const raw = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    raw.close();
  });
  return new URL(`http://127.0.0.1:${portOf(raw.address())}/`);
}

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null ? Number(Reflect.get(address, 'port')) : 0;
}

t.test('posts to a listed origin and returns the beginning of the answer', async (t) => {
  const received: unknown[] = [];
  server.answer(async (req, res) => {
    received.push([req.method, req.url, req.headers['webhook-id'], await text(req)]);
    res.writeHead(202).end('x'.repeat(5000));
  });
  const posted = await posting(t)();
  t.same(posted, { failure: null, status: 202, retryAfter: null, answer: 'x'.repeat(1024) });
  t.same(received, [['POST', '/hook', 'm1', '{"a":1}']]);
});

t.test('other origins must be https, and their addresses public', async (t) => {
  const silent = await startSilentListener(t);
  const post = posting(t);
  for (const [address, failure] of [
    [`http://127.0.0.1:${silent.port}/`, 'origin_refused'],
    ['http://example.com/', 'origin_refused'],
    ['file:///etc/passwd', 'origin_refused'],
    [`blob:${server.origin}/x`, 'origin_refused'],
    [`https://127.0.0.1:${silent.port}/`, 'address_refused'],
    [`https://2130706433:${silent.port}/`, 'address_refused'],
    [`https://[::1]:${silent.port}/`, 'address_refused'],
    [`https://[::ffff:127.0.0.1]:${silent.port}/`, 'address_refused'],
    ['https://169.254.169.254/latest/meta-data', 'address_refused'],
    ['https://10.0.0.1/', 'address_refused'],
    ['https://0.0.0.0/', 'address_refused'],
    [`https://localhost:${silent.port}/`, 'address_refused'],
  ] as const)
    t.same(await post(new URL(address)), { failure, status: null, retryAfter: null, answer: null }, address);
  t.equal(silent.connections(), 0);
});

t.test('a name that leads to an address that is not public is not connected to', async (t) => {
  const silent = await startSilentListener(t);
  const named = new URL(`https://app.example:${silent.port}/`);
  for (const addresses of [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '::1', family: 6 }],
    [{ address: '169.254.169.254', family: 4 }],
    [
      { address: '2606:4700::1111', family: 6 },
      { address: '10.0.0.1', family: 4 },
    ],
    [],
  ]) {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return addresses;
    };
    t.equal((await posting(t, { resolve })(named)).failure, 'address_refused');
    t.equal(lookups, 1, 'the checked address is the one that would be connected to');
  }
  t.equal(silent.connections(), 0);
});

t.test('follows no redirect', async (t) => {
  const silent = await startSilentListener(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${silent.port}/`;
    server.answer((_req, res) => void res.writeHead(status, { location }).end());
    t.match(await posting(t)(), { failure: 'redirected', status });
  }
  t.equal(silent.connections(), 0);
});

t.test('returns other statuses with Retry-After', async (t) => {
  for (const status of [400, 404, 410, 429, 500, 503]) {
    server.answer((_req, res) => void res.writeHead(status, { 'retry-after': '17' }).end('no'));
    t.same(await posting(t)(), { failure: 'status', status, retryAfter: '17', answer: 'no' });
  }
});

t.test('an endless answer is cut after its beginning', async (t) => {
  let written = 0;
  const ended = Promise.withResolvers<void>();
  server.answer((_req, res) => {
    res.writeHead(200);
    const more = () => {
      while (written < 10_000_000_000 && res.write('x'.repeat(65_536))) written += 65_536;
    };
    res.on('drain', more);
    res.on('close', ended.resolve);
    more();
  });
  t.match(await posting(t)(), { failure: null, status: 200, answer: /^x{1024}$/ });
  await ended.promise;
  t.ok(written < 50_000_000, 'only buffers were filled');
});

t.test('a body that does not end does not change the status', async (t) => {
  server.answer((_req, res) => {
    res.writeHead(500);
    const drop = setInterval(() => void res.write('.'), 5);
    res.on('close', () => clearInterval(drop));
  });
  t.match(await posting(t)(url, { totalMs: 200 }), { failure: 'status', status: 500, answer: /^\.*$/ });
  server.answer((_req, res) => {
    res.writeHead(200, { 'content-length': '100' });
    res.write('half', () => res.destroy());
  });
  t.match(await posting(t)(), { failure: null, status: 200 });
});

t.test('silence ends at the total, a connection at its own limit', async (t) => {
  server.answer(() => undefined);
  t.match(await posting(t)(url, { totalMs: 100 }), { failure: 'timed_out', status: null });
  const resolve = () => new Promise<never>(() => undefined);
  const named = new URL('https://app.example/');
  t.match(await posting(t, { resolve })(named, { connectMs: 50 }), { failure: 'unreachable' });
});

t.test('names what failed', async (t) => {
  const unknown = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
  t.match(await posting(t, { resolve: unknown })(new URL('https://app.example/')), {
    failure: 'name_unknown',
  });
  const closed = new URL('http://127.0.0.1:1/');
  t.match(await posting(t, { origins: [closed.origin] })(closed), { failure: 'unreachable' });
  server.answer((req) => void req.socket.destroy());
  t.match(await posting(t)(), { failure: 'cut_off' });
  t.match(await posting(t)(url, { signal: AbortSignal.abort() }), { failure: 'stopped' });
});

t.test('a certificate that is not trusted and a server without TLS are refused', async (t) => {
  let requests = 0;
  const secure = createSecureServer(selfSigned('127.0.0.1'), (_req, res) => {
    requests += 1;
    res.end();
  });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void secure.close());
  const plain = new URL(`https://127.0.0.1:${server.port}/`);
  for (const to of [new URL(`https://127.0.0.1:${portOf(secure.address())}/`), plain])
    t.match(await posting(t, { origins: [to.origin] })(to), { failure: 'tls_failed', status: null });
  t.equal(requests, 0);
});

t.test('answers that are not HTTP, too long or injected are bounded', async (t) => {
  const answers: readonly (readonly [string, unknown, string])[] = [
    ['hello\r\n\r\n', 'answer_invalid', 'no HTTP'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'answer_invalid', 'a long header'],
    [
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      'answer_invalid',
      'two lengths',
    ],
    ['HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n', 'answer_invalid', 'a NUL in a header'],
    [
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'cut_off',
      'an upgrade',
    ],
  ];
  for (const [answer, failure, title] of answers) {
    const to = await startRawServer(t, (socket) => void socket.end(answer));
    t.match(await posting(t, { origins: [to.origin] })(to), { failure }, title);
  }
  const interim = await startRawServer(t, (socket) => {
    const more = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 5);
    socket.on('close', () => clearInterval(more));
  });
  t.match(await posting(t, { origins: [interim.origin] })(interim), { failure: 'answer_invalid' });
});

t.test('control characters of an answer are replaced', async (t) => {
  server.answer((_req, res) => void res.writeHead(500).end(Buffer.from('a\0b\x1b[2Jc\r\n\xff', 'latin1')));
  t.equal((await posting(t)()).answer, 'a\uFFFDb\uFFFD[2Jc\uFFFD\n\uFFFD');
});

t.test('keeps a connection, and sends again on a new one if the server has closed it', async (t) => {
  const ports: (number | undefined)[] = [];
  server.answer((req, res) => {
    ports.push(req.socket.remotePort);
    res.end('ok');
  });
  const post = posting(t);
  await post();
  await post();
  t.equal(new Set(ports).size, 1);
  let connections = 0;
  const closing = await startRawServer(t, (socket) => {
    connections += 1;
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    socket.once('data', () => socket.destroy());
  });
  const again = posting(t, { origins: [closing.origin] });
  t.match([await again(closing), await again(closing)], [{ status: 200 }, { status: 200 }]);
  t.equal(connections, 2);
});

t.test('a value cannot add a header', async (t) => {
  const poster = newPoster({ origins: [server.origin] });
  t.teardown(() => poster.close());
  const injected = { headers: { 'webhook-id': 'a\r\nx-injected: 1' }, body: '' };
  const limits = { connectMs: 2000, totalMs: 5000, signal: new AbortController().signal };
  const before = server.asked.length;
  t.match(await poster.post(url, injected, limits), { failure: 'unreachable' });
  t.equal(server.asked.length, before);
  let asked = '';
  server.answer((req, res) => {
    asked = req.headers['x-injected'] === undefined ? (req.url ?? '') : 'injected';
    res.end();
  });
  await posting(t)(new URL(`${server.origin}/a\r\nx-injected:1`));
  t.equal(asked, '/ax-injected:1');
});
