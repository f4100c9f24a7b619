import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { gatewayUrl } from '../../../services/api-gateway/api-gateway.service.ts';
import { webhookCapacity } from '../../../services/api-gateway/work/webhook-admission.ts';
import { push, startApi } from '../../support/api.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';

const api = await startApi(t, { QUEUE_LIMIT: '2', WEBHOOK_MEMORY_MIB: '1', MAX_CONNECTIONS: '20' });
const isKnownMs = 1100; // a count is kept for a second
const bodyOf = (bytes: number) => `{"dailies": [], "x": "${'x'.repeat(bytes)}"}`;

/** Pushes bodies of a size until one is answered with a status: the server reads what others sent when it gets to it. */
async function pushUntil(status: number, bytes: number) {
  for (;;) {
    const answer = await push(api, bodyOf(bytes));
    if (answer.status === status) return answer;
    await sleep(50);
  }
}

async function openDeliveries(count: number): Promise<void> {
  await api.database.query("delete from deliveries.delivery where kind = 'waiting'");
  await api.database.query(
    `insert into deliveries.delivery (provider, kind, headers, body, run_at)
     select 'devicemaker', 'waiting', '{}', '', now() + interval '1 hour' from generate_series(1, $1)`,
    [count],
  );
  await sleep(isKnownMs);
}

t.test('refuses deliveries with Retry-After while the queue of a provider is full', async (t) => {
  await openDeliveries(1);
  t.equal((await push(api, { dailies: [] })).status, 200, 'one below the limit');
  await openDeliveries(2);
  const refused = await push(api, { dailies: [] });
  t.equal(refused.status, 503);
  t.same(refused.body, { detail: 'Too many deliveries wait for their work.', code: 'SERVICE_UNAVAILABLE' });
  t.equal(refused.headers.get('retry-after'), '30');
  t.equal(
    (await api.ask('/api/v1/webhooks/activitynet/webhook', { body: {} })).status,
    200,
    "another provider's queue",
  );
  await openDeliveries(0);
  t.equal((await push(api, { dailies: [] })).status, 200);
});

/** A sender that stops one byte before the end of its body. */
async function stopBeforeEnd(bytes: number) {
  const sender = connect(Number(new URL(gatewayUrl(api.broker)).port), '127.0.0.1');
  sender.on('error', () => undefined);
  sender.write(
    `POST /api/v1/webhooks/devicemaker/push HTTP/1.1\r\nHost: x\r\ndevicemaker-client-id: tests\r\nContent-Length: ${bytes + 1}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => sender.write('x'.repeat(bytes), () => resolve()));
  await sleep(200);
  return sender;
}

t.test('refuses bodies that exceed the memory, while small bodies are accepted', async (t) => {
  const slow = await stopBeforeEnd(900_000);
  const refused = await push(api, bodyOf(500_000));
  t.equal(refused.status, 503);
  t.same(refused.body, {
    detail: 'Too many large bodies are arriving at once.',
    code: 'SERVICE_UNAVAILABLE',
  });
  t.equal(refused.headers.get('retry-after'), '5');
  t.equal((await push(api, bodyOf(10_000))).status, 200);
  slow.destroy();
  t.equal((await pushUntil(200, 500_000)).status, 200, 'the room is given back when a sender goes');
  t.equal(
    (await push(api, bodyOf(2_000_000))).status,
    200,
    'a body that exceeds all memory is accepted alone',
  );
});

t.test('counts the decompressed size of a body', async (t) => {
  const text = randomBytes(450_000).toString('hex');
  const send = () =>
    api.ask('/api/v1/webhooks/devicemaker/push', {
      body: gzipSync(`{"dailies": [], "x": "${text}"}`),
      headers: { 'devicemaker-client-id': 'tests', 'Content-Encoding': 'gzip' },
    });
  t.equal((await send()).status, 200);
});

t.test('releases the memory of compressed bodies whose senders disconnect', async (t) => {
  const { port } = new URL(gatewayUrl(api.broker));
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
  for (const [encoding, encode] of Object.entries(encoders)) {
    const body = encode(randomBytes(400_000));
    const lengths = [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'];
    for (const length of lengths) {
      const sender = connect(Number(port), '127.0.0.1');
      const head = `POST /api/v1/webhooks/activitynet/webhook HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\n${length}\r\n\r\n`;
      const size = length.startsWith('Transfer') ? `${body.length.toString(16)}\r\n` : '';
      sender.write(head + size);
      const half = body.subarray(0, body.length / 2);
      await new Promise<void>((resolve) => sender.write(half, () => resolve()));
      await sleep(200);
      sender.destroy();
    }
  }
  t.equal((await pushUntil(200, 900_000)).status, 200);
});

t.test('closes connections beyond MAX_CONNECTIONS', async (t) => {
  const { port } = new URL(gatewayUrl(api.broker));
  const sockets = Array.from({ length: 25 }, () => connect(Number(port), '127.0.0.1').resume());
  for (const socket of sockets) socket.on('error', () => undefined);
  await until(async () => sockets.filter(({ closed }) => closed).length >= 5, 'five are closed');
  for (const socket of sockets) socket.destroy();
  await until(async () => (await push(api, { dailies: [] }).catch(() => null))?.status === 200);
  t.equal((await push(api, { dailies: [] })).status, 200, 'a closed one frees a place');
});

t.test('refuses deliveries while the disk is nearly full, and warns once a minute', async (t) => {
  const disk = { freeBytes: 4 * 1024 * 1024, nowMs: 0 };
  const warned: unknown[] = [];
  const capacity = webhookCapacity(
    { WEBHOOK_MEMORY_MIB: 1, QUEUE_LIMIT: 1, DISK_RESERVE_MIB: 5 },
    {
      inbox: { waiting: async () => 0 },
      freeBytes: async () => disk.freeBytes,
      logger: { warn: (...line: unknown[]) => void warned.push(line) },
      now: () => disk.nowMs,
    },
  );
  for (const nowMs of [0, 500, 59_000, 60_000]) {
    disk.nowMs = nowMs;
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    await t.rejects(capacity.refuseIfFull('devicemaker', res), refusal('SERVICE_UNAVAILABLE'));
    t.equal(res.getHeader('Retry-After'), 600);
  }
  t.same(warned, Array(2).fill(['webhook.disk_full', { limit: 'DISK_RESERVE_MIB' }]));
  disk.freeBytes *= 2;
  disk.nowMs = 61_000;
  await capacity.refuseIfFull('devicemaker', new ServerResponse(new IncomingMessage(new Socket())));
});
