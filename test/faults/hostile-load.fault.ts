import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { createWearer, developer, startApi } from '../support/api.ts';

t.setTimeout(0);

// Strangers attack for a minute from 50 addresses; whoever is honest comes from another one.
const attackMs = 60_000;
const peaceMs = 15_000;
const slowestMs = 1000;
/** A machine that is busy otherwise is slow before the attack too. */
const slower = 3;

const half = gzipSync(randomBytes(6000)).subarray(0, 3000);
const zip = gzipSync(`{"dailies":[${'{},'.repeat(250_000)}{}]}`);
const bomb = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024));
const password = JSON.stringify({ email: developer.email, password: 'a wrong one' });

function post(path: string, headers: readonly string[], body: Uint8Array | string): Uint8Array[] {
  const head = [`POST /api/v1${path} HTTP/1.1`, 'Host: x', 'devicemaker-client-id: x', ...headers, '', ''];
  return [Buffer.from(head.join('\r\n')), Buffer.from(body)];
}

const event = '/webhooks/activitynet/webhook';
const push = '/webhooks/devicemaker/push';
const attacks = {
  'aborted gzip': post(event, ['Content-Encoding: gzip', 'Content-Length: 6000'], half),
  'aborted push': post(push, ['Content-Encoding: gzip', 'Transfer-Encoding: chunked'], `bb8\r\n${half}`),
  'announced 128 MiB': post(push, ['Content-Length: 134217728'], 'x'),
  'items of nobody': post(push, ['Content-Encoding: gzip', `Content-Length: ${zip.length}`], zip),
  'brotli bomb': post(push, ['Content-Encoding: br', `Content-Length: ${bomb.length}`], bomb),
  'wrong password': post(
    '/auth/login',
    ['Content-Type: application/json', `Content-Length: ${password.length}`],
    password,
  ),
};

t.test(
  'valid webhooks and log-ins are answered within a second during hostile load, or three times the time before it',
  async (t) => {
    const api = await startApi(t, { RATE_LIMIT_FAILURES: '30' });
    const { account } = await createWearer(api);
    const port = Number(new URL(api.url).port);
    const counts = new Map<string, number>();

    const attack = async (name: string, pieces: Uint8Array[], worker: number, until: number) => {
      for (let turn = 0; Date.now() < until; turn += 1) {
        const localAddress = `127.0.1.${1 + ((worker * 13 + turn) % 50)}`;
        const socket = connect({ port, host: '127.0.0.1', localAddress });
        socket.on('error', () => undefined); // the server may hang up
        for (const piece of pieces) socket.write(piece);
        counts.set(name, (counts.get(name) ?? 0) + 1);
        await sleep(200);
        socket.destroy();
      }
    };

    const statuses = new Map<string, number>();
    let times: number[] = [];
    const honest = async (name: string, pauseMs: number, path: string, body: unknown, until: number) => {
      while (Date.now() < until) {
        const began = performance.now();
        const headers = { 'devicemaker-client-id': 'x' };
        const { status } = await api.ask(`/api/v1${path}`, { body, headers });
        times.push(Math.round(performance.now() - began));
        statuses.set(`${name} ${status}`, (statuses.get(`${name} ${status}`) ?? 0) + 1);
        await sleep(pauseMs);
      }
    };
    const askUntil = (until: number) => [
      honest('push', 200, push, { dailies: [{ userId: account }] }, until),
      honest('event', 200, event, { object_type: 'activity' }, until),
      honest('log-in', 1000, '/auth/login', developer, until),
    ];

    await Promise.all(askUntil(Date.now() + peaceMs));
    const limitMs = Math.max(slowestMs, slower * Math.max(...times));
    t.comment(`before the attack: slowest ${Math.max(...times)} ms`);
    times = [];
    const until = Date.now() + attackMs;
    await Promise.all([
      ...Object.entries(attacks).flatMap(([name, pieces]) =>
        [0, 1].map((worker) => attack(name, pieces, worker, until)),
      ),
      ...askUntil(until),
    ]);
    t.comment(`attacks: ${JSON.stringify(Object.fromEntries(counts))}`);
    t.comment(`honest: ${JSON.stringify(Object.fromEntries(statuses))}, slowest ${Math.max(...times)} ms`);
    t.same(
      [...statuses.keys()].filter((name) => !name.endsWith(' 200')),
      [],
    );
    t.same(
      times.filter((ms) => ms > limitMs),
      [],
    );
  },
);
