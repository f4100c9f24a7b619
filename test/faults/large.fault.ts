import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { detailsOf } from '../../bench/ingest/bodies.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { daily } from '../fixtures/devicemaker/dailies.ts';
import { ask } from '../support/api.ts';
import { json, startCallbackServer } from '../support/callback-server.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { createConnectedUser, credentialsOf, get, makeDeveloper } from './support/api-data.ts';
import { untilWorkedOff } from './support/cluster.ts';
import type { Wearer } from './support/load.ts';
import { type Process, startProcess, untilReady } from './support/product-processes.ts';

/** What is too large or too slow for a test of seconds, with the limits that run, to a process of all services. */
t.setTimeout(0);

const headers = { 'devicemaker-client-id': 'faults' };
const gigabyte = 1e9;
/** A sender gives up after so long. */
const senderWaitsMs = 20_000;

async function startAlone(t: Test, settings: Record<string, string> = {}) {
  const database = await freshDatabase(t);
  await makeDeveloper(database);
  const choice = { name: 'all', services: [], port: await freePort() };
  const served = startProcess(t, { ...choice, settings: { ...settings, DATABASE_URL: database.url } });
  await untilReady(served);
  const { key } = await credentialsOf(served.origin);
  const wearer = async (): Promise<Wearer> => {
    const account = randomUUID();
    return { account, userId: await createConnectedUser(served.origin, key, account) };
  };
  return { database, served, key, wearer };
}

/** The most memory that a process ever held, in MB. */
function peakMb({ pid }: Process): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

const Ping = z.object({
  wellness: z.object({
    dailies: z.object({
      processed: z.int(),
      saved: z.int(),
      errors: z.array(z.string()),
      items: z.array(z.object({ fetched: z.int(), saved: z.int() })),
    }),
  }),
});

// Two gigabytes of blanks between the brackets of a list, with and without Content-Length, or compressed to 2 MB.
async function stream(res: ServerResponse, into: NodeJS.WritableStream): Promise<number> {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  into.write('[');
  for (; sent < 2 * gigabyte && !res.destroyed; sent += piece.length)
    if (!into.write(piece))
      await Promise.race([new Promise((next) => into.once('drain', next)), sleep(1000)]);
  into.end(']');
  return sent;
}

t.test('a broken provider delays no sender and keeps no memory', async (t) => {
  const provider = await startCallbackServer(t);
  const { database, served, key, wearer } = await startAlone(t, {
    DEVICEMAKER_API_URL: `${provider.origin}/rest`,
  });
  const sent = new Map<string, number>();
  const huge = (name: string, res: ServerResponse, into: NodeJS.WritableStream) =>
    void stream(res, into).then((bytes) => sent.set(name, bytes));
  const type = { 'content-type': 'application/json' };
  const ways: Record<string, (res: ServerResponse) => void> = {
    silent: () => undefined,
    failing: (res) => res.writeHead(500).end(),
    garbage: (res) => res.writeHead(200, type).end('<html>'),
    half: (res) => {
      res.writeHead(200, { ...type, 'content-length': '5000' });
      res.write('[{"userId":', () => res.destroy());
    },
    told: (res) => {
      res.writeHead(200, { ...type, 'content-length': String(2 * gigabyte + 2) });
      huge('told', res, res);
    },
    untold: (res) => {
      res.writeHead(200, type);
      huge('untold', res, res);
    },
    inflated: (res) => {
      res.writeHead(200, { ...type, 'content-encoding': 'gzip' });
      const gzip = createGzip({ level: 1 });
      gzip.pipe(res);
      huge('inflated', res, gzip);
    },
    good: (res) => json([daily(people.good?.account ?? '', 1)])({} as never, res),
  };
  const people: Record<string, Wearer> = {};
  for (const name of Object.keys(ways)) people[name] = await wearer();
  const nameOf = (url = '') => new URL(url, provider.origin).searchParams.get('token') ?? '';
  provider.answer((req, res) => ways[nameOf(req.url)]?.(res));
  const notices = Object.entries(people).map(([name, { account }]) => ({
    userId: account,
    callbackURL: `${provider.origin}/rest/dailies?token=${name}`,
  }));
  const before = served.memoryMb();
  const began = performance.now();
  const answer = await fetch(`${served.origin}/api/v1/webhooks/devicemaker/ping`, {
    ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
    ...{ body: JSON.stringify({ dailies: notices }) },
    signal: AbortSignal.timeout(senderWaitsMs),
  });
  const took_ms = Math.round(performance.now() - began);
  t.equal(answer.status, 200);
  const { dailies } = Ping.parse(await answer.json()).wellness;
  t.match(dailies, { processed: 1, saved: 1 });
  t.equal(dailies.items.length, notices.length);
  await sleep(3000);
  t.comment(JSON.stringify({ took_ms, before, peak: peakMb(served), sent: Object.fromEntries(sent) }));
  t.ok(peakMb(served) < before + 250, 'no body of 2 GB was taken in');

  provider.answer((req, res) => json([daily(people[nameOf(req.url)]?.account ?? '', 1)])(req, res));
  const soon = "update deliveries.delivery set run_at = now() where state = 'ready' and error is not null";
  for (let round = 0; round < 60; round += 1) {
    await database.query(soon);
    await sleep(500);
    if ((await database.query("select from deliveries.delivery where state = 'done'")).length > 0) break;
  }
  await untilWorkedOff(database);
  for (const [name, { userId }] of Object.entries(people)) {
    const path = `/users/${userId}/timeseries?start_time=2025-06-01&end_time=2025-06-04&types=heart_rate&limit=1`;
    const Page = z.object({ pagination: z.object({ total_count: z.int() }) });
    t.equal((await get(served.origin, path, Page, { key })).pagination.total_count, 240, name);
  }
  t.equal(provider.asked.filter((url) => nameOf(url) === 'good').length, 1, 'what came is not fetched twice');
});

t.test('four concurrent pushes of 100 MB are stored without delaying other requests', async (t) => {
  const { database, served, wearer } = await startAlone(t);
  const wearers = [await wearer(), await wearer(), await wearer(), await wearer()];
  const path = '/api/v1/webhooks/devicemaker/push';
  const bodies = wearers.map((one) => Buffer.from(detailsOf(one, 100e6)));
  const before = served.memoryMb();
  const statuses: number[] = [];
  const post = async (body: Buffer) => {
    for (;;) {
      const { status } = await ask(served.origin, path, { body, headers }).catch(() => ({
        status: 0,
      }));
      statuses.push(status);
      if (status === 200) return;
      // 0: it was refused, and the connection closed, while the rest was still being sent.
      if (status !== 503 && status !== 0) throw new Error(`answered ${status}`);
      await sleep(2000);
    }
  };
  let [slowest_ms, answers, unanswered] = [0, 0, 0];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const began = performance.now();
      if ((await ask(served.origin, '/api/v1/health')).status === 200) answers += 1;
      else unanswered += 1;
      slowest_ms = Math.max(slowest_ms, Math.round(performance.now() - began));
      await sleep(100);
    }
  })();
  const began = performance.now();
  await Promise.all(bodies.map(post));
  const answered_ms = Math.round(performance.now() - began);
  for (let open = 1; open > 0; await sleep(500)) {
    const [row] = await database.query<{ n: number }>(
      "select count(*)::int as n from deliveries.delivery where state in ('ready', 'working')",
    );
    open = row?.n ?? 0;
  }
  isOver = true;
  await looking;
  t.equal(unanswered, 0);
  t.ok(answers > 20, `${answers} others were answered`);
  const [stored] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  const [done] = await database.query<{ n: number }>(
    "select count(*)::int as n from deliveries.delivery where state = 'done'",
  );
  const done_ms = Math.round(performance.now() - began);
  const figures = { before, peak: peakMb(served), answered_ms, done_ms, slowest_ms, values: stored?.n };
  t.comment(JSON.stringify({ ...figures, refused: statuses.filter((status) => status !== 200) }));
  t.equal(done?.n, 4);
  const { activityDetails } = z
    .object({ activityDetails: z.array(z.object({ samples: z.array(z.unknown()) })) })
    .parse(JSON.parse(String(bodies[0])));
  const seconds = activityDetails.reduce((sum, { samples }) => sum + samples.length, 0);
  t.equal(stored?.n, 4 * 5 * seconds, 'five series a second');
  t.ok(peakMb(served) < 1300, 'bodies wait for each other');
});
