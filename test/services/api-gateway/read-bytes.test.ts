import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  brotliCompressSync,
  constants,
  createGunzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import t from 'tap';
import {
  allowedMs,
  type Reading,
  readBytes,
  webhookLimitBytes,
} from '../../../services/api-gateway/work/body.ts';
import { refusal } from '../../support/refusal.ts';

const bounds = (): Reading => ({
  ...{ limitBytes: webhookLimitBytes, maxRatio: 200, timeoutMs: 60_000 },
  ...{ count: () => undefined, ending: new AbortController() },
});

/** Reads what a sender sends: its bytes, or the failure. */
type Read = (req: IncomingMessage) => Promise<Buffer>;
const readBounded: Read = (req) => readBytes(req, bounds());
let read = readBounded;
let outcome = Promise.withResolvers<Buffer>();
let arrived = Promise.withResolvers<void>();
const server = createServer((req, res) => {
  arrived.resolve();
  read(req)
    .then(outcome.resolve, outcome.reject)
    .finally(() => res.destroy());
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => server.close());
const { port } = server.address() as AddressInfo;

t.beforeEach(() => {
  outcome = Promise.withResolvers();
  read = readBounded;
});

function send(pieces: readonly Buffer[], headers: Record<string, string | number>, end: 'whole' | 'cut') {
  arrived = Promise.withResolvers();
  const sending = request({ port, method: 'POST', headers });
  sending.on('error', () => undefined); // the server hangs up
  sending.flushHeaders();
  for (const piece of pieces) sending.write(piece);
  if (end === 'whole') sending.end();
  // A request that the server has not seen yet would leave no outcome.
  else arrived.promise.then(() => setTimeout(() => sending.destroy(), 100));
  return outcome.promise;
}

const pieces = Array.from({ length: 5 }, () => randomBytes(700_000));
const whole = Buffer.concat(pieces);

t.test('a body is read completely with and without Content-Length', async (t) => {
  const told = await send(pieces, { 'content-length': whole.length }, 'whole');
  t.ok(told.equals(whole));
  t.equal(told.buffer.byteLength, whole.length, 'in memory of its own, which can be handed over');
  outcome = Promise.withResolvers();
  t.ok((await send(pieces, {}, 'whole')).equals(whole));
});

// The best compression of Brotli takes 3 s for these bytes, which nothing compresses.
const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
const encoders = {
  identity: (bytes: Buffer) => bytes,
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params }),
} as const;

for (const [encoding, encode] of Object.entries(encoders)) {
  const encoded = encode(whole);
  const half = [encoded.subarray(0, encoded.length / 2)];
  for (const length of [{ 'content-length': encoded.length }, {}]) {
    const headers = { 'content-encoding': encoding, ...length };
    const title = `${encoding}, ${'content-length' in length ? 'with' : 'without'} a length`;

    t.test(`${title}: a body is what was sent`, async (t) => {
      t.ok((await send([encoded], headers, 'whole')).equals(whole));
    });

    t.test(`${title}: a body whose sender disconnects is refused`, async (t) => {
      await t.rejects(send(half, headers, 'cut'), refusal('MALFORMED_REQUEST'));
    });

    t.test(`${title}: a body whose sender disconnected before it is read is refused`, async (t) => {
      read = async (req) => {
        await new Promise((resolve) => req.once('close', resolve));
        return readBounded(req);
      };
      const start = [encoded.subarray(0, 1000)]; // more would wait in the socket, and its end behind it
      await t.rejects(send(start, headers, 'cut'), refusal('MALFORMED_REQUEST'));
    });
  }
}

t.test('an incomplete compressed body, or one of another format, is malformed', async (t) => {
  const cut = gzipSync(whole).subarray(0, 100_000);
  await t.rejects(send([cut], { 'content-encoding': 'gzip' }, 'whole'), refusal('MALFORMED_BODY'));
  outcome = Promise.withResolvers();
  const raw = deflateRawSync(whole);
  await t.rejects(send([raw], { 'content-encoding': 'deflate' }, 'whole'), refusal('MALFORMED_BODY'));
});

t.test('a body with a too large Content-Length is refused at once', async (t) => {
  await t.rejects(send([], { 'content-length': webhookLimitBytes + 1 }, 'cut'), refusal('BODY_TOO_LARGE'));
});

t.test('the callback that counts bytes can end the body', async (t) => {
  let counted = 0;
  read = (req) =>
    readBytes(req, {
      ...bounds(),
      count: (bytes) => {
        counted += bytes;
        if (counted > 1_000_000) throw new Error('full');
      },
    });
  await t.rejects(send(pieces, { 'content-length': whole.length }, 'whole'), { message: 'full' });
});

t.test('the decoder of a body that is ended is closed', async (t) => {
  const kind = Object.getPrototypeOf(createGunzip());
  const closed = t.capture(kind, '_destroy', kind._destroy);
  const full = () => {
    throw new Error('full');
  };
  read = (req) => readBytes(req, { ...bounds(), count: full });
  await t.rejects(send([gzipSync(whole)], { 'content-encoding': 'gzip' }, 'whole'), { message: 'full' });
  t.equal(closed().length, 1);
});

t.test('after an abort no further bytes are counted', async (t) => {
  const counted: number[] = [];
  const reading = { ...bounds(), count: (bytes: number) => void counted.push(bytes) };
  read = (req) => readBytes(req, reading);
  const sending = request({ port, method: 'POST' });
  sending.on('error', () => undefined); // the server hangs up
  sending.write('first');
  while (counted.length === 0) await sleep(10);
  reading.ending.abort(new Error('no room'));
  sending.write('second');
  await t.rejects(outcome.promise, { message: 'no room' });
  await sleep(50);
  t.same(counted, [5]);
  sending.destroy();
});

t.test('names of encodings are case-insensitive; an unknown one is refused', async (t) => {
  t.ok((await send([gzipSync(whole)], { 'content-encoding': 'GZIP' }, 'whole')).equals(whole));
  outcome = Promise.withResolvers();
  await t.rejects(send([whole], { 'content-encoding': 'zstd' }, 'whole'), refusal('UNSUPPORTED_MEDIA_TYPE'));
});

const bombs = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
const zeros = Buffer.alloc(8 * 1024 * 1024);

for (const [encoding, encode] of Object.entries(bombs))
  t.test(`${encoding}: a body that exceeds the decompression ratio is refused early`, async (t) => {
    let counted = 0;
    const count = (bytes: number) => {
      counted += bytes;
    };
    read = (req) => readBytes(req, { ...bounds(), count });
    await t.rejects(
      send([encode(zeros)], { 'content-encoding': encoding }, 'whole'),
      refusal('BODY_TOO_LARGE'),
    );
    t.ok(counted <= 1024 * 1024, `${counted} bytes were unpacked`);
    outcome = Promise.withResolvers();
    const small = encode(zeros.subarray(0, 256 * 1024));
    t.equal((await send([small], { 'content-encoding': encoding }, 'whole')).length, 256 * 1024);
  });

t.test('a slow body is ended at the time-out', async (t) => {
  read = (req) => readBytes(req, { ...bounds(), timeoutMs: 300 });
  const sending = request({ port, method: 'POST', headers: { 'content-length': 100_000 } });
  sending.on('error', () => undefined); // the server hangs up
  const trickle = setInterval(() => sending.write('x'), 20);
  t.teardown(() => clearInterval(trickle));
  await t.rejects(outcome.promise, refusal('BODY_TIMEOUT'));
});

t.test('a large body has more time than a small one', async (t) => {
  t.equal(allowedMs(60_000, 0), 60_000);
  t.equal(allowedMs(60_000, 256), 60_001);
  t.equal(allowedMs(60_000, webhookLimitBytes), 584_288);
});
