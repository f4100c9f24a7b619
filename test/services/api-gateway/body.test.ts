import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { readBytes, webhookLimitBytes } from '../../../services/api-gateway/body.ts';
import { refusal } from '../../support/refusal.ts';

/** Reads what a sender sends: its bytes, or the failure. */
type Reading = (req: IncomingMessage) => Promise<Buffer>;
let read: Reading = (req) => readBytes(req, 'webhook');
let outcome = Promise.withResolvers<Buffer>();
const server = createServer((req, res) => {
  read(req)
    .then(outcome.resolve, outcome.reject)
    .finally(() => res.destroy());
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => server.close());
const { port } = server.address() as AddressInfo;

t.beforeEach(() => {
  outcome = Promise.withResolvers();
  read = (req) => readBytes(req, 'webhook');
});

function send(pieces: readonly Buffer[], headers: Record<string, string | number>, end: 'whole' | 'cut') {
  const sending = request({ port, method: 'POST', headers });
  sending.on('error', () => undefined); // the server hangs up
  sending.flushHeaders();
  for (const piece of pieces) sending.write(piece);
  if (end === 'whole') sending.end();
  else setTimeout(() => sending.destroy(), 100);
  return outcome.promise;
}

const pieces = Array.from({ length: 5 }, () => randomBytes(700_000));
const whole = Buffer.concat(pieces);

t.test('a body is what was sent, whether its size is told or not', async (t) => {
  const told = await send(pieces, { 'content-length': whole.length }, 'whole');
  t.ok(told.equals(whole));
  t.equal(told.buffer.byteLength, whole.length, 'in memory of its own, which can be handed over');
  outcome = Promise.withResolvers();
  t.ok((await send(pieces, {}, 'whole')).equals(whole));
});

t.test('one that breaks off is none', async (t) => {
  await t.rejects(send(pieces.slice(0, 3), { 'content-length': whole.length }, 'cut'));
});

t.test('one that announces too much is not waited for', async (t) => {
  await t.rejects(send([], { 'content-length': webhookLimitBytes + 1 }, 'cut'), refusal('BODY_TOO_LARGE'));
});

t.test('whoever counts its bytes may end it in the middle', async (t) => {
  let counted = 0;
  read = (req) =>
    readBytes(req, 'webhook', (bytes) => {
      counted += bytes;
      if (counted > 1_000_000) throw new Error('full');
    });
  await t.rejects(send(pieces, { 'content-length': whole.length }, 'whole'), { message: 'full' });
});
