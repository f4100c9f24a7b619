import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pendingSentence } from '../../../contracts/devicemaker-ingest/answers.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { wrongStatistics } from '../../services/timeseries/statistics.ts';
import { get } from './api-data.ts';
import type { Cluster } from './cluster.ts';
import { type ExpectedDelivery, expectedDelivery, sampleLine } from './expected-deliveries.ts';
import { keepAlive, send } from './http.ts';

/** How many deliveries are posted, and which processes die together meanwhile, one death after the other. */
export interface KillingChoice {
  readonly cluster: Cluster;
  readonly database: Database;
  readonly deliveries: number;
  readonly kills: readonly (readonly string[])[];
  /** Lets a test that must be short not wait for the leases of the dead. */
  readonly endLeases: boolean;
}

/** What came of it. The lists are empty if every delivery is stored in full, once. */
export interface KillingReport {
  readonly posted: number;
  /** Answers by status; 0: the connection died. What was not answered 200 was posted again until it was. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answered 200 before they were worked on. */
  readonly pending: number;
  /** Deliveries in progress during a kill, which another process continued. */
  readonly takenOver: number;
  readonly facts: number;
  readonly took_ms: number;
  readonly wrong: readonly string[];
}

const lanes = 8;
const patienceMs = 120_000;

/** Posts deliveries while processes are killed, and looks for each fact of them. */
export async function killDuring(choice: KillingChoice): Promise<KillingReport> {
  const { cluster, database, deliveries, kills } = choice;
  const began = performance.now();
  const told = Array.from({ length: deliveries }, (_, n) => expectedDelivery(n, cluster.wearers));
  const post = new Post(cluster.origins, told, kills.length);
  const posting = post.all();
  posting.catch(() => undefined); // told below, when nobody is being killed any more
  for (const [index, names] of kills.entries()) {
    await post.until((deliveries * (index + 0.5)) / kills.length);
    await sleep(Math.random() * 50);
    for (const name of names) cluster.process(name).signal('SIGKILL');
    for (const name of names) await cluster.again(name);
    await cluster.untilWhole();
    post.killed += 1;
  }
  await posting;
  if (choice.endLeases)
    await database.query("update deliveries.delivery set run_at = now() where state in ('ready', 'working')");
  const open = await untilClosed(choice);
  const [again] = await database.query<{ n: number }>(
    'select count(*)::int as n from deliveries.delivery where attempts > 1',
  );
  const facts = told.flatMap((one) => one.facts);
  return {
    posted: told.length,
    answers: Object.fromEntries([...post.answers].toSorted()),
    pending: post.pending,
    takenOver: again?.n ?? 0,
    facts: facts.length,
    took_ms: Math.round(performance.now() - began),
    wrong: [
      ...open,
      ...post.complaints,
      ...(await wrongFacts(cluster, told)),
      ...(await wrongCounts(cluster, told)),
      ...(await wrongStatistics(database)),
    ],
  };
}

class Post {
  readonly answers = new Map<string, number>();
  readonly complaints: string[] = [];
  pending = 0;
  killed = 0;
  readonly #agent: Agent = keepAlive(lanes);
  readonly #origins: readonly string[];
  readonly #told: readonly ExpectedDelivery[];
  readonly #kills: number;
  #next = 0;

  constructor(origins: readonly string[], told: readonly ExpectedDelivery[], kills: number) {
    this.#origins = origins;
    this.#told = told;
    this.#kills = kills;
  }

  async all(): Promise<void> {
    const lane = async () => {
      while (this.#next < this.#told.length) {
        const n = this.#next++;
        await this.#room(n);
        await this.#untilAnswered(n);
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
    } finally {
      this.#agent.destroy();
    }
  }

  /** Waits until so many are begun. */
  async until(count: number): Promise<void> {
    while (this.#next < count && this.#next < this.#told.length) await sleep(2);
  }

  // The kills are spread over the deliveries, and there are some to post while the dead come back.
  async #room(n: number): Promise<void> {
    const perKill = this.#told.length / this.#kills;
    while (this.killed < this.#kills && n >= (this.killed + 1.5) * perKill) await sleep(20);
  }

  // As its sender would: what is not answered 200 is sent again, elsewhere.
  async #untilAnswered(n: number): Promise<void> {
    const deadline = Date.now() + patienceMs;
    for (let turn = n; Date.now() < deadline; turn++) {
      const { status, text } = await this.#postOnce(n, turn);
      const name = String(status);
      this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
      if (status === 200) return this.#look(n, text);
      await sleep(200);
    }
    throw new Error(`delivery ${n} was never answered 200`);
  }

  async #postOnce(n: number, turn: number): Promise<{ status: number; text: string }> {
    const headers = { 'Content-Type': 'application/json', 'devicemaker-client-id': 'faults' };
    const path = '/api/v1/webhooks/devicemaker/push';
    const origin = this.#origins[turn % this.#origins.length] ?? '';
    try {
      return await send(this.#agent, { origin, method: 'POST', path, headers, body: this.#told[n]?.body });
    } catch {
      return { status: 0, text: '' };
    }
  }

  #look(n: number, text: string): void {
    const { errors } = Told.parse(JSON.parse(text));
    if (errors.includes(pendingSentence)) this.pending += 1;
    for (const error of errors)
      if (error !== pendingSentence) this.complaints.push(`delivery ${n} was answered: ${error}`);
  }
}

const Told = z.object({ errors: z.array(z.string()) });

// A failed delivery waits up to half a minute for its next attempt. Here it is due at once.
async function untilClosed({ database, endLeases }: KillingChoice): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    if (endLeases)
      await database.query(
        `update deliveries.delivery set run_at = now() where state = 'ready' and error is not null and run_at > now()`,
      );
    const open = await database.query<{ state: string; n: number }>(
      `select state, count(*)::int as n from deliveries.delivery
       where state <> 'done' or json_array_length(answer -> 'errors') > 0 group by state`,
    );
    if (open.length === 0) return [];
    if (Date.now() > deadline)
      return open.map(({ state, n }) => `${n} deliveries are ${state}, or have errors`);
    await sleep(200);
  }
}

const Line = z.looseObject({ kind: z.string() });

// As lists, not sets: what is there twice is as wrong as what is missing.
async function wrongFacts(cluster: Cluster, told: readonly ExpectedDelivery[]): Promise<string[]> {
  const wanted = Map.groupBy(
    told.flatMap(({ facts }, n) => facts.map((fact) => ({ ...fact, n }))),
    ({ userId }) => userId,
  );
  const wrong: string[] = [];
  for (const { userId } of cluster.wearers) {
    const found = new Map<string, number>();
    for (const line of await exported(cluster, userId)) found.set(line, (found.get(line) ?? 0) + 1);
    for (const { line, n } of wanted.get(userId) ?? []) {
      const count = found.get(line) ?? 0;
      if (count !== 1) wrong.push(`delivery ${n}: ${count} times ${line}`);
      found.delete(line);
    }
    for (const line of found.keys()) wrong.push(`nobody told: ${line}`);
  }
  return wrong;
}

async function exported({ origins, key }: Cluster, userId: string): Promise<string[]> {
  const answer = await fetch(`${origins[0]}/api/v1/users/${userId}/export`, {
    headers: { 'X-API-Key': key },
  });
  const lines = (await answer.text()).trimEnd().split('\n');
  const read = lines.map((line) => Line.parse(JSON.parse(line)));
  if (read.at(-1)?.kind !== 'end') throw new Error(`the export of ${userId} is not complete`);
  return read.map(lineOf).filter((line) => line !== null);
}

function lineOf(record: z.infer<typeof Line>): string | null {
  const { kind, type, start_time: start, end_time: end } = record;
  switch (kind) {
    case 'sample':
      return sampleLine(type, record.timestamp, record.value);
    case 'day':
      return `day ${record.date} ${record.steps}`;
    case 'workout':
      return `workout ${start} ${end} ${type} ${record.distance_meters}`;
    case 'sleep':
      return `sleep ${start} ${end} ${record.asleep_seconds}`;
    case 'other':
      return `${type} ${start} ${end} ${Reflect.get(Object(record.data), 'summaryId')}`;
    default:
      return null;
  }
}

const Counted = z.object({ pagination: z.object({ total_count: z.int() }) });

// Read through the API, with the counts of the statistics.
async function wrongCounts(
  { origins, key, wearers }: Cluster,
  told: readonly ExpectedDelivery[],
): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { facts } of told)
    for (const { userId, line } of facts) {
      const [kind, type] = line.split(' ');
      const name = `${userId} ${type}`;
      if (kind === 'sample') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  const wrong: string[] = [];
  for (const [name, count] of counts) {
    const [userId, type] = name.split(' ');
    const query = `start_time=2020-01-01&end_time=2026-01-01&types=${type}&limit=1`;
    const path = `/users/${userId}/timeseries?${query}`;
    const { pagination } = await get(origins[0] ?? '', path, Counted, { key });
    if (pagination.total_count !== count)
      wrong.push(`${name}: total_count ${pagination.total_count}, not ${count}`);
  }
  if (counts.size < wearers.length) wrong.push('somebody was told nothing of');
  return wrong;
}
