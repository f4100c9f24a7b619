import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { byteLimit, type Guard, guardedFetch } from '../../runtime/http/guarded-fetch.ts';
import { isLoopbackAddress, isPublicAddress } from '../../runtime/http/public-address.ts';
import {
  type Answering,
  json,
  startCallbackServer,
  startSilentListener,
} from '../support/callback-server.ts';

const provider = await startCallbackServer(t);
const url = new URL(`${provider.origin}/api/dailies?token=t`);

const guardOf = (changes: Partial<Guard> = {}): Guard => ({
  media: 'json',
  origins: [provider.origin],
  connectMs: 2000,
  totalMs: 5000,
  mostBytes: 10_000,
  held: byteLimit(1_000_000),
  signal: new AbortController().signal,
  ...changes,
});

/** What came of it: the body as text, or the failure. */
async function outcomeOf(changes: Partial<Guard> = {}, address = url) {
  const fetched = await guardedFetch(address, guardOf(changes));
  return fetched.ok ? fetched.body.toString() : fetched.failure;
}

const raw =
  (body: Buffer | string, headers: Record<string, string> = {}): Answering =>
  (_req, res) =>
    void res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);

t.test('accepts addresses of the public internet only', async (t) => {
  for (const address of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'])
    t.ok(isPublicAddress(address), address);
  const refused = `0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
    255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1
    2001:db8::1 2002:7f00:1:: 3fff::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::1%lo
    localhost 127.1 0x7f.1 2130706433`;
  for (const address of refused.split(/\s+/)) t.notOk(isPublicAddress(address), address);
});

t.test('recognises loopback addresses', async (t) => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1']) t.ok(isLoopbackAddress(address), address);
  for (const address of ['126.0.0.1', '128.0.0.1', '10.0.0.1', '::ffff:127.0.0.1', 'localhost', ''])
    t.notOk(isLoopbackAddress(address), address);
});

t.test('fetches JSON from a listed loopback origin without credentials', async (t) => {
  let headers: unknown;
  provider.answer((req, res) => {
    headers = req.headers;
    json([{ a: 1 }])(req, res);
  });
  t.equal(await outcomeOf(), '[{"a":1}]');
  t.match(headers, { accept: 'application/json', host: `127.0.0.1:${provider.port}` });
  t.notMatch(headers, { authorization: /./ });
  t.notMatch(headers, { cookie: /./ });
  t.equal(provider.asked.at(-1), '/api/dailies?token=t');
});

t.test('decompresses a compressed body', async (t) => {
  provider.answer(raw(gzipSync('["é"]'), { 'content-encoding': 'gzip' }));
  t.equal(await outcomeOf(), '["é"]');
});

t.test('a fetch that has ended leaves no listener on the signal of its caller', async (t) => {
  const { signal } = new AbortController();
  provider.answer(json([]));
  t.equal(await outcomeOf({ signal }), '[]');
  provider.answer(raw('[]', { 'content-type': 'text/html' }));
  t.equal(await outcomeOf({ signal }), 'not_json');
  t.same(getEventListeners(signal, 'abort'), []);
});

t.test('does not connect to origins that are not listed', async (t) => {
  const silent = await startSilentListener(t);
  const others = [
    `http://127.0.0.1:${silent.port}/`,
    `http://localhost:${silent.port}/`,
    `http://[::1]:${silent.port}/`,
    `http://2130706433:${silent.port}/`,
    `https://127.0.0.1:${provider.port}/`,
    'file:///etc/passwd',
    'data:application/json,[]',
    `blob:${provider.origin}/x`,
  ];
  for (const other of others) t.equal(await outcomeOf({}, new URL(other)), 'origin_refused', other);
  t.equal(silent.connections(), 0);
});

t.test('a listed address that is neither public nor loopback is refused', async (t) => {
  for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '[fe80::1]', '0.0.0.0', '[::]']) {
    const listed = new URL(`http://${host}:${provider.port}/`);
    t.equal(await outcomeOf({ origins: [listed.origin] }, listed), 'address_refused', host);
  }
});

t.test('a name with an address that is not public is refused', async (t) => {
  const silent = await startSilentListener(t);
  const named = new URL(`http://provider.example:${silent.port}/`);
  const addresses = [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '::1', family: 6 }],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [{ address: '169.254.169.254', family: 4 }],
    [
      { address: '127.0.0.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
    [
      { address: '2606:4700::1111', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ],
    [],
  ];
  for (const answer of addresses) {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return answer;
    };
    t.equal(await outcomeOf({ origins: [named.origin], resolve }, named), 'address_refused');
    t.equal(asked, 1, 'it is looked up once: what was checked is what would be connected to');
  }
  const here = new URL(`http://localhost:${silent.port}/`);
  t.equal(await outcomeOf({ origins: [here.origin] }, here), 'address_refused', 'also by the machine');
  t.equal(silent.connections(), 0);
});

t.test('an unknown name, or one without an answer, is unreachable', async (t) => {
  const named = new URL('http://provider.example/');
  const origins = [named.origin];
  const unknown = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
  t.equal(await outcomeOf({ origins, resolve: unknown }, named), 'unreachable');
  const never = () => new Promise<never>(() => undefined);
  t.equal(await outcomeOf({ origins, resolve: never, connectMs: 50 }, named), 'unreachable');
});

t.test('a closed port is unreachable', async (t) => {
  const closed = new URL('http://127.0.0.1:1/');
  t.equal(await outcomeOf({ origins: [closed.origin] }, closed), 'unreachable');
});

t.test('follows no redirect', async (t) => {
  const silent = await startSilentListener(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${silent.port}/`;
    provider.answer((_req, res) => void res.writeHead(status, { location }).end());
    t.equal(await outcomeOf(), 'redirected');
  }
  t.equal(silent.connections(), 0);
});

t.test('returns the status and the requested wait', async (t) => {
  provider.answer((_req, res) => void res.writeHead(429, { 'retry-after': '17' }).end());
  t.same(await guardedFetch(url, guardOf()), {
    ok: false,
    failure: 'status',
    status: 429,
    retryAfter: '17',
  });
  for (const status of [204, 206, 404, 500]) {
    provider.answer((_req, res) => void res.writeHead(status).end());
    t.match(await guardedFetch(url, guardOf()), { failure: 'status', status, retryAfter: null });
  }
});

t.test('accepts JSON only, plain or as gzip', async (t) => {
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/problem+json']) {
    provider.answer(raw('[]', { 'content-type': type }));
    t.equal(await outcomeOf(), '[]', type);
  }
  for (const type of ['text/html', 'text/json', 'application/jsonp', 'application/octet-stream', '']) {
    provider.answer(raw('[]', { 'content-type': type }));
    t.equal(await outcomeOf(), 'not_json', type);
  }
  provider.answer((_req, res) => void res.writeHead(200).end('[]'));
  t.equal(await outcomeOf(), 'not_json', 'without a type');
  for (const encoding of ['br', 'deflate', 'gzip, gzip']) {
    provider.answer(raw('[]', { 'content-encoding': encoding }));
    t.equal(await outcomeOf(), 'not_json', encoding);
  }
});

t.test('accepts a body up to the limit and stops reading beyond it', async (t) => {
  provider.answer(raw('x'.repeat(10_000)));
  t.equal(await outcomeOf(), 'x'.repeat(10_000));
  provider.answer(raw('x'.repeat(10_001)));
  t.equal(await outcomeOf(), 'too_large');
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '2000000000' });
    res.write('[');
  });
  t.equal(await outcomeOf(), 'too_large', 'it says so itself: nothing is read');
  let written = 0;
  const ended = Promise.withResolvers<void>();
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (written < 2_000_000_000 && res.write('x'.repeat(65_536))) written += 65_536;
    };
    res.on('drain', more);
    res.on('close', ended.resolve);
    more();
  });
  t.equal(await outcomeOf({ mostBytes: 100_000 }), 'too_large');
  await ended.promise;
  t.ok(written < 50_000_000, 'of 2 GB only what stood in the buffers was sent');
});

t.test('the limit applies to the decompressed body', async (t) => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, 'x'));
  t.ok(bomb.length < 100_000);
  provider.answer(raw(bomb, { 'content-encoding': 'gzip' }));
  t.equal(await outcomeOf({ mostBytes: 100_000 }), 'too_large');
});

t.test('recognises an incomplete body', async (t) => {
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    res.write('[1,', () => res.destroy());
  });
  t.equal(await outcomeOf(), 'cut_off');
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write('[1,', () => res.destroy());
  });
  t.equal(await outcomeOf(), 'cut_off', 'in chunks');
  provider.answer(raw(gzipSync('["a"]').subarray(0, 15), { 'content-encoding': 'gzip' }));
  t.equal(await outcomeOf(), 'cut_off', 'compressed');
  provider.answer((req) => void req.socket.destroy());
  t.equal(await outcomeOf(), 'unreachable', 'no answer at all');
});

t.test('waits no longer than the total, for silence and for a trickle', async (t) => {
  provider.answer(() => undefined);
  t.equal(await outcomeOf({ totalMs: 100 }), 'timed_out');
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const drop = setInterval(() => void res.write(' '), 10);
    res.on('close', () => clearInterval(drop));
  });
  t.equal(await outcomeOf({ totalMs: 100 }), 'timed_out');
});

t.test('ends with the signal of its caller', async (t) => {
  provider.answer(() => undefined);
  const stop = new AbortController();
  const fetched = outcomeOf({ signal: stop.signal });
  stop.abort();
  t.equal(await fetched, 'stopped');
  const before = provider.asked.length;
  t.equal(await outcomeOf({ signal: AbortSignal.abort() }), 'stopped');
  t.equal(provider.asked.length, before);
});

t.test('all fetches together stay within the memory limit and release it', async (t) => {
  provider.answer(raw('x'.repeat(6000)));
  const held = byteLimit(10_000);
  const first = await guardedFetch(url, guardOf({ held }));
  t.equal(await outcomeOf({ held }), 'crowded');
  if (first.ok) first.release();
  if (first.ok) first.release();
  const second = await guardedFetch(url, guardOf({ held }));
  t.ok(second.ok);
  t.equal(await outcomeOf({ held }), 'crowded', 'released once, however often it is called');
  provider.answer(raw('x'.repeat(10_001)));
  if (second.ok) second.release();
  t.equal(await outcomeOf({ held }), 'too_large');
  t.ok(held.take(10_000), 'a failure holds nothing');
});

t.test('an origin is listed only as a whole', async (t) => {
  const listed = 'https://api.provider.example';
  const others = [
    'https://api.provider.example.attacker.example',
    'https://api.provider.example:8443',
    'https://api.provider.exampl',
    'https://provider.example',
    'https://x.api.provider.example',
    'http://api.provider.example',
  ];
  const lookedUp: string[] = [];
  const resolve = async (name: string) => {
    lookedUp.push(name);
    return [];
  };
  for (const other of others)
    t.equal(await outcomeOf({ origins: [listed], resolve }, new URL(`${other}/`)), 'origin_refused', other);
  const userInfo = new URL('https://api.provider.example@attacker.example/');
  t.equal(await outcomeOf({ origins: [listed], resolve }, userInfo), 'origin_refused');
  t.same(lookedUp, []);
});

t.test('a failed chunked body releases its bytes', async (t) => {
  const chunked =
    (end: (res: ServerResponse) => void): Answering =>
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('x'.repeat(6000), () => end(res));
    };
  const compressed = gzipSync(Buffer.alloc(5000, 'x'));
  const failures: readonly (readonly [string, Answering])[] = [
    ['too_large', chunked((res) => res.end('x'.repeat(6000)))],
    ['cut_off', chunked((res) => res.destroy())],
    ['cut_off', raw(compressed.subarray(0, -1), { 'content-encoding': 'gzip' })],
    ['cut_off', raw('no gzip at all', { 'content-encoding': 'gzip' })],
  ];
  for (const [failure, answering] of failures) {
    provider.answer(answering);
    const held = byteLimit(20_000);
    t.equal(await outcomeOf({ held }), failure);
    t.ok(held.take(20_000), `${failure}: nothing is held`);
  }
  provider.answer(chunked((res) => res.end('x'.repeat(3000))));
  const small = byteLimit(8000);
  t.equal(await outcomeOf({ held: small }), 'crowded');
  t.ok(small.take(8000), 'crowded: nothing is held');
});

/** Runs `work` with a mock clock. */
async function onFakeClock(work: (turn: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await work(async (ms) => {
      mock.timers.tick(ms);
      for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
    });
  } finally {
    mock.timers.reset();
  }
}

t.test('an address that does not connect ends at its own limit, the answer at the total', async (t) => {
  const limits = { connectMs: 3000, totalMs: 10_000 };
  const ended: string[] = [];
  await onFakeClock(async (turn) => {
    const named = new URL('http://provider.example/');
    const resolve = () => new Promise<never>(() => undefined);
    const never = outcomeOf({ ...limits, origins: [named.origin], resolve }, named);
    void never.then((outcome) => ended.push(outcome));
    await turn(2999);
    t.same(ended, []);
    await turn(1);
    t.equal(await never, 'unreachable');
  });
  await onFakeClock(async (turn) => {
    ended.length = 0;
    const arrived = Promise.withResolvers<void>();
    provider.answer(() => arrived.resolve());
    const silent = outcomeOf(limits);
    void silent.then((outcome) => ended.push(outcome));
    await arrived.promise;
    await turn(9999);
    t.same(ended, [], 'a connection that stands has the whole time');
    await turn(1);
    t.equal(await silent, 'timed_out');
  });
});
