import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { serviceNames } from '../../stack/processes/services.ts';
import { developer } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { get } from './support/api-data.ts';
import { type Cluster, startCluster, untilWorkedOff } from './support/cluster.ts';
import { send } from './support/http.ts';

/*
 * Each process has the memory of a container. Attackers have what anybody can get: the token of one user, and wrong passwords from many
 * addresses. FAULT_SECONDS is how long each attack takes, 30 by default.
 */
t.setTimeout(0);

const attackMs = 1000 * Number(process.env.FAULT_SECONDS ?? 30);
const memoryMb = 1024;
const pauseMs = 300;
const alone = ['api-gateway', 'phone-ingest', 'auth'];
const groups = {
  gateway: ['api-gateway'],
  ingest: ['phone-ingest'],
  auth: ['auth'],
  rest: serviceNames.filter((name) => !alone.includes(name)),
};

interface Sample {
  readonly name: string;
  readonly status: number;
  readonly ms: number;
}

/** Sends a request from an address of this machine. The status of a connection that dies is 0. */
async function timed(
  name: string,
  address: string,
  { origin, path, headers = {}, body, method = body === undefined ? 'GET' : 'POST' }: Request,
): Promise<Sample> {
  const began = performance.now();
  const agent = new Agent({ keepAlive: false, localAddress: address });
  const sent = { origin, method, path: `/api/v1${path}`, body };
  const given = { 'Content-Type': 'application/json', ...headers };
  const { status } = await send(agent, { ...sent, headers: given }).catch(() => ({ status: 0 }));
  return { name, status, ms: Math.round(performance.now() - began) };
}

interface Request {
  readonly origin: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly method?: string;
}

/** Repeats requests until an instant, one after another. */
async function repeat(until: number, ask: (turn: number) => Promise<Sample>, pause: number) {
  const samples: Sample[] = [];
  for (let turn = 0; Date.now() < until; turn += 1) {
    samples.push(await ask(turn));
    await sleep(pause);
  }
  return samples;
}

const addressOf = (network: number, turn: number) => `127.0.${network}.${1 + (turn % 250)}`;
const logIn = JSON.stringify(developer);
const instant = (turn: number) => new Date(Date.UTC(2026, 0, 1) + turn * 60_000).toISOString();

function recordsAt(turn: number): string {
  const records = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: `${turn}:${index}`, type: 'HEART_RATE', startDate: instant(20 * turn + index), unit: 'bpm' },
    ...{ endDate: instant(20 * turn + index), value: 60 + index, source: { deviceType: 'watch' } },
  }));
  return JSON.stringify({ provider: 'google', sdkVersion: '1', data: { records } });
}

/** Uploads, reads and log-ins of those who mean no harm. Each log-in comes from another address. */
async function honest({ origins, key }: Cluster, userId: string, token: string, until: number) {
  const [origin = ''] = origins;
  const path = `/users/${userId}/summaries/activity?start_date=2026-01-01&end_date=2026-01-31`;
  const samples = await Promise.all([
    repeat(
      until,
      (turn) =>
        timed('upload', '127.0.2.1', {
          ...{ origin, path: `/sdk/users/${userId}/sync`, headers: { authorization: token } },
          body: recordsAt(turn),
        }),
      pauseMs,
    ),
    repeat(until, () => timed('read', '127.0.2.2', { origin, path, headers: { 'X-API-Key': key } }), pauseMs),
    repeat(
      until,
      (turn) => timed('log-in', addressOf(3, turn), { origin, path: '/auth/login', body: logIn }),
      3 * pauseMs,
    ),
  ]);
  return samples.flat();
}

function report(t: Test, samples: readonly Sample[]): void {
  for (const [name, own] of Map.groupBy(samples, (sample) => sample.name)) {
    const times = own.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    t.comment(`${name}: ${own.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  t.same(
    samples.filter(({ status }) => status < 200 || status > 299),
    [],
    'no honest request failed',
  );
}

/** Repeats a text with spaces in between, so that gzip makes a hundredth of it: less than what is refused for its ratio. */
function repeated(text: string, count: number, every: number): string {
  const parts: string[] = [];
  for (let n = 0, random = 1; n < count; n += every) {
    random = (random * 48_271) % 2_147_483_647;
    parts.push(text.repeat(every), ' '.repeat(1 + (random % 7)));
  }
  return parts.join('');
}

const bodyOf = (records: string) => gzipSync(`{"provider":"apple","data":{"records":[${records}`);
const bodies = {
  brackets: bodyOf(repeated('[', 7_000_000, 120)),
  pairs: bodyOf(`${repeated('[],', 4_500_000, 40)}[]]}}`),
  invalid: bodyOf(`${repeated('{},', 900_000, 40)}{}]}}`),
};

t.test('hostile uploads and log-ins in 1 GiB: who is honest is answered', async (t) => {
  const database = await freshDatabase(t);
  const copies = { gateway: 1, ingest: 1, auth: 1, rest: 1 };
  const settings = { RATE_LIMIT_FAILURES: '30', RATE_LIMIT_ADDRESS: '300' };
  const cluster = await startCluster(t, {
    ...{ database, natsUrl: natsUrl(), groups, copies, people: 2, memoryMb, settings },
  });
  const [origin = ''] = cluster.origins;
  const [victim, thief] = cluster.wearers;
  const tokenOf = async (userId = '') => {
    const given = { token: cluster.token, method: 'POST' };
    const Token = z.object({ access_token: z.string() });
    return (await get(origin, `/users/${userId}/token`, Token, given)).access_token;
  };
  const [own, stolen] = [await tokenOf(victim?.userId), await tokenOf(thief?.userId)];
  const during = async (t: Test, attack: (until: number) => Promise<Sample[][]>) => {
    const until = Date.now() + attackMs;
    const [attacked, samples] = await Promise.all([
      attack(until),
      honest(cluster, victim?.userId ?? '', own, until),
    ]);
    const counts = Map.groupBy(attacked.flat(), ({ name, status }) => `${name} ${status}`);
    t.comment(JSON.stringify(Object.fromEntries([...counts].map(([name, all]) => [name, all.length]))));
    report(t, samples);
    return attacked.flat();
  };
  const whole = async (t: Test) => {
    for (const name of cluster.names) {
      t.notOk(cluster.process(name).hasEnded(), `${name} runs`);
      const limit = cluster.memory.get(name);
      t.comment(`${name}: at most ${limit?.peakMb()} of ${memoryMb} MB (${limit?.by})`);
    }
  };

  await t.test('before: nobody attacks', async (t) => {
    t.same(await during(t, async () => []), []);
  });

  await t.test('a user token uploads bodies that grow in memory, three at a time', async (t) => {
    const path = `/sdk/users/${thief?.userId}/sync`;
    const headers = { authorization: stolen, 'Content-Encoding': 'gzip' };
    const attack = (until: number) =>
      Promise.all(
        Object.entries(bodies).map(([name, body], index) =>
          repeat(until, () => timed(name, addressOf(1, index), { origin, path, headers, body }), 10),
        ),
      );
    const taken = (await during(t, attack)).filter(({ status }) => status === 202);
    t.ok(taken.length > 0, `${taken.length} of the bodies were taken in`);
    await whole(t);
    await untilWorkedOff(database);
  });

  await t.test('240 wrong passwords at once from 8 addresses, and for the owner from many', async (t) => {
    const wrong = JSON.stringify({ ...developer, password: 'a wrong one' });
    const others = (turn: number) =>
      JSON.stringify({ email: `${turn}@example.com`, password: 'a wrong one' });
    const attack = (until: number) =>
      Promise.all(
        Array.from({ length: 240 }, (_, worker) =>
          repeat(
            until,
            (turn) =>
              worker < 40
                ? timed('owner', addressOf(5, worker + 40 * turn), {
                    origin,
                    path: '/auth/login',
                    body: wrong,
                  })
                : timed('anybody', addressOf(4, worker % 8), {
                    origin,
                    path: '/auth/login',
                    body: others(turn),
                  }),
            1000,
          ),
        ),
      );
    const checked = (await during(t, attack)).filter(({ status }) => status === 401);
    t.ok(checked.length > 0, `${checked.length} of the passwords were checked`);
    await whole(t);
  });
});
