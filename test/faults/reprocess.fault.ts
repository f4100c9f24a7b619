import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { Reprocess } from '../../contracts/deliveries/reprocess.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { daily, dayStart } from '../fixtures/devicemaker/dailies.ts';
import { sleep as night } from '../fixtures/devicemaker/sleeps.ts';
import { storedOf } from '../services/timeseries/stored-of-user.ts';
import { ask } from '../support/api.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/database.ts';
import { createConnectedUser, credentialsOf, makeDeveloper } from './support/api-data.ts';
import { type Process, startProcess, untilReady } from './support/product-processes.ts';

/**
 * A mapping fault over REPROCESS_SAMPLES samples (1,000,000), repaired while reads go on and the process is killed once. A
 * million takes 10 minutes on two cores. Progress is printed every 20 s.
 */
t.setTimeout(0);

const samples = Number(process.env.REPROCESS_SAMPLES ?? 1_000_000);
const samplesPerDay = 5761;
const people = 10;
const days = Math.max(people, Math.ceil(samples / samplesPerDay));
const faulty = ['--import', join(import.meta.dirname, 'support/faulty-dailies.ts')];
const accounts = Array.from({ length: people }, (_, index) => `account-${index}`);
const bystander = 'account-bystander';
const headers = { 'devicemaker-client-id': 'faults' };

const began = performance.now();
const note = (t: Test, text: string) =>
  t.comment(`${Math.round((performance.now() - began) / 1000)} s: ${text}`);

async function startOn(t: Test, { url }: TestDatabase, options: readonly string[] = []): Promise<Process> {
  const choice = { name: 'all', services: [], port: await freePort(), options };
  const served = startProcess(t, { ...choice, settings: { DATABASE_URL: url } });
  await untilReady(served);
  return served;
}

async function push({ origin }: Process, body: object): Promise<void> {
  const { status, text } = await ask(origin, '/api/v1/webhooks/devicemaker/push', { body, headers });
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
}

function dayOf(index: number) {
  const start = dayStart + Math.floor(index / people) * 86_400;
  const calendarDate = new Date((start + 7200) * 1000).toISOString().slice(0, 10);
  const changes = { startTimeInSeconds: start, calendarDate, summaryId: `day-${index}` };
  return daily(accounts[index % people] ?? '', 24, changes);
}

/** Users with their data, by account. */
async function fill(t: Test, served: Process): Promise<ReadonlyMap<string, string>> {
  const { key } = await credentialsOf(served.origin);
  const users = new Map<string, string>();
  for (const account of [...accounts, bystander])
    users.set(account, await createConnectedUser(served.origin, key, account));
  await push(served, { sleeps: [night(bystander)] });
  for (let index = 0; index < days; index += 1) {
    await push(served, { dailies: [dayOf(index)] });
    if (index % 50 === 49) note(t, `${index + 1} of ${days} days are stored`);
  }
  return users;
}

const rowsOf = (database: TestDatabase, userId: string) =>
  database.query(
    `select x.xmin::text, x.* from timeseries.sample x join timeseries.series s on s.id = x.series_id
     where s.user_id = $1 order by x.series_id, x.ts`,
    [userId],
  );

/** Milliseconds of reads of a day of samples, one after another, until `isOver`. */
async function readsUntil(origin: string, userId: string, isOver: () => boolean): Promise<number[]> {
  const { key } = await credentialsOf(origin);
  const start = new Date((dayStart + 3600) * 1000).toISOString();
  const end = new Date((dayStart + 20 * 3600) * 1000).toISOString();
  const path = `/api/v1/users/${userId}/timeseries?start_time=${start}&end_time=${end}&types=heart_rate&limit=100`;
  const took: number[] = [];
  while (!isOver()) {
    const sentMs = performance.now();
    const { status, text } = await ask(origin, path, { key });
    if (status !== 200) throw new Error(`a read: ${status} ${text.slice(0, 200)}`);
    took.push(performance.now() - sentMs);
    await sleep(20);
  }
  return took.toSorted((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number) =>
  Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100;

// A difference of rows is too long to print.
const digest = (rows: unknown) => {
  const text = JSON.stringify(rows);
  return `${text.length} ${createHash('sha256').update(text).digest('hex')}`;
};

async function idleReads(origin: string, userId: string): Promise<number[]> {
  const end = performance.now() + 8000;
  return readsUntil(origin, userId, () => performance.now() > end);
}

t.test(`${days} days of heart rates are repaired, and equal a fresh store`, async (t) => {
  const [broken, fresh] = [await freshDatabase(t), await freshDatabase(t)];
  for (const database of [broken, fresh]) await makeDeveloper(database);
  const first = await startOn(t, broken, faulty);
  const users = await fill(t, first);
  first.signal('SIGTERM');
  await first.ended;
  const right = await startOn(t, fresh);
  const rightUsers = await fill(t, right);
  right.signal('SIGTERM');
  await right.ended;

  let served = await startOn(t, broken);
  const read = users.get(accounts[0] ?? '') ?? '';
  const others = users.get(bystander) ?? '';
  const untouched = await rowsOf(broken, others);
  const before = await idleReads(served.origin, read);
  const { token } = await credentialsOf(served.origin);
  const started = await ask(served.origin, '/api/v1/deliveries/reprocess', {
    token,
    body: { provider: 'devicemaker' },
  });
  let run = Reprocess.parse(started.body);
  let notedMs = performance.now();
  const poll = async () => {
    await sleep(500);
    if (served.hasEnded()) throw new Error(`the process ended: ${await served.ended}\n${served.said()}`);
    const answer = await ask(served.origin, `/api/v1/reprocess-runs/${run.id}`, { token });
    run = Reprocess.parse(answer.body, { error: () => answer.text });
    if (performance.now() - notedMs < 20_000) return;
    notedMs = performance.now();
    const { done, total } = run.deliveries;
    note(t, `${done} of ${total} deliveries are processed, ${served.memoryMb()} MB`);
  };
  const startedMs = performance.now();
  while (run.deliveries.done < run.deliveries.total / 3) await poll();
  served.signal('SIGKILL');
  await served.ended;
  note(t, `killed after ${run.deliveries.done} of ${run.deliveries.total} deliveries`);
  served = await startOn(t, broken);
  const isOver = () => run.status !== 'running' || served.hasEnded();
  const reading = readsUntil(served.origin, read, isOver);
  while (run.status === 'running') await Promise.race([poll(), reading]);
  const during = await reading;
  const after = await idleReads(served.origin, read);
  const idle = [...before, ...after].toSorted((a, b) => a - b);
  const ratio = at(during, 0.5) / at(idle, 0.5);
  t.comment(
    JSON.stringify({
      ...{ seconds: Math.round((performance.now() - startedMs) / 1000) },
      ...{ idle_ms: at(idle, 0.5), during_ms: at(during, 0.5), ratio },
      ...{ idle_p90: at(idle, 0.9), during_p90: at(during, 0.9), reads: during.length },
    }),
  );
  t.match(run, { status: 'done', deliveries: { failed: 0 } });
  t.ok(ratio <= 1.2, `reads take ${ratio.toFixed(2)} times as long during the run`);
  for (const account of accounts) {
    const [a, b] = [users.get(account) ?? '', rightUsers.get(account) ?? ''];
    const [repaired, wanted] = [await storedOf(broken, a), await storedOf(fresh, b)];
    for (const [table, rows] of Object.entries(wanted))
      t.equal(digest(repaired[table]), digest(rows), `${account}: ${table}`);
  }
  note(t, 'the rows equal those of a fresh store');
  t.same(await rowsOf(broken, others), untouched, 'other rows are not written');
  const Count = z.tuple([z.object({ n: z.number() })]);
  const [{ n }] = Count.parse(await broken.query('select count(*)::float8 as n from timeseries.sample'));
  t.ok(n >= days * samplesPerDay, `${n} samples`);
});
