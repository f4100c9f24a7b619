import { randomUUID } from 'node:crypto';
import type { Actions } from '../../../contracts/all.ts';
import type { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type ProviderName, providers } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { followPart } from '../../../services/freshness/work/follow.ts';
import { judgePart } from '../../../services/freshness/work/judge-due.ts';
import { repairHandler } from '../../../services/freshness/work/repair.ts';
import { watchProviders } from '../../../services/freshness/work/watch-providers.ts';
import { answer } from './answers.ts';
import { type Counts, type Faults, noFaults } from './counts.ts';
import { habits, kindNamed, kindNames, seriesOf } from './habits.ts';

/*
 * Days of many connections in seconds: what people record, what of it their providers announce, and what the service reads again.
 * The clock is the simulation's, the tables and statements are the real ones.
 */

type Change = Actions['webhooks.arrivals']['returns']['changes'][number];
type Answers = Actions['deliveries.answers']['returns']['answers'];

const stepMs = 30 * minuteMs;
export const simulatedStart = Date.UTC(2026, 5, 1);

interface Recorded {
  readonly kind: FreshKind;
  readonly atMs: number;
  stored: number;
}

interface Person {
  readonly user_id: string;
  readonly connection_id: string;
  readonly provider: ProviderName;
  readonly offsetMs: number;
  /** Kinds that the person records no more. */
  readonly stopped: Set<string>;
  recorded: Recorded[];
  isRevoked: boolean;
}

/** A world of connections over a database. */
export class Simulation {
  readonly counts: Counts = {
    reads: 0,
    faultless: 0,
    repairs: 0,
    probes: 0,
    repairedAfter: [],
    published: [],
  };
  readonly people: Person[] = [];
  nowMs = simulatedStart;
  faults: Faults = noFaults;
  readonly #database: Database;
  readonly #random: () => number;
  #probes = 0;
  #heldAt: number | null = null;
  readonly #log: Change[] = [];
  readonly #answers: { readonly provider: ProviderName; readonly atMs: number; readonly failed: boolean }[] =
    [];

  constructor(database: Database, random: () => number) {
    this.#database = database;
    this.#random = random;
  }

  /** Connects people, in turn to each provider. */
  async connect(count: number, providers: readonly ProviderName[]): Promise<void> {
    for (let index = 0; index < count; index++) {
      const provider = providers[index % providers.length] ?? 'oura';
      const offsetMs = Math.floor(this.#random() * 24 - 11) * hourMs;
      const [user_id, connection_id] = [randomUUID(), randomUUID()];
      this.people.push({
        user_id,
        connection_id,
        provider,
        offsetMs,
        stopped: new Set(),
        recorded: [],
        isRevoked: false,
      });
      this.#write({ user_id, provider, type: 'connection.created', connection_id });
    }
    const ids = this.people.map(({ user_id }) => user_id);
    await this.#database.query(
      'insert into users.person (id) select unnest($1::uuid[]) on conflict do nothing',
      [ids],
    );
  }

  /** The user ends our access at the provider. Nobody says so. */
  revoke(person: Person): void {
    person.isRevoked = true;
  }

  /** The person records nothing of some kinds any more. */
  stop(person: Person, kinds: readonly FreshKind[] = kindNames): void {
    for (const kind of kinds) person.stopped.add(kind);
    person.recorded = person.recorded.filter(
      ({ kind, atMs }) => !person.stopped.has(kind) || atMs <= this.nowMs,
    );
  }

  /** The person records everything again, from the next day on. */
  start(person: Person): void {
    person.stopped.clear();
  }

  /** The user ends the connection in the product. */
  disconnect({ user_id, provider, connection_id }: Person): void {
    this.#write({ user_id, provider, type: 'connection.revoked', connection_id });
  }

  /** Scopes that users granted, by their ids. Without one the scope is unknown. */
  readonly scopes = new Map<string, readonly string[]>();

  /** Users whose connections are gone without a change in the log. */
  readonly gone = new Set<string>();

  /** Lets the service do nothing until `release`, which returns how many arrivals wait. */
  hold(): void {
    this.#heldAt = this.#log.length;
  }

  release(): number {
    const from = this.#heldAt ?? this.#log.length;
    this.#heldAt = null;
    return this.#log.slice(from).filter(({ type }) => !type.startsWith('connection.')).length;
  }

  /** Lets time pass. `each` runs before each step. */
  async pass(ms: number, each: () => void | Promise<void> = () => {}): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      await each();
      if (this.nowMs % dayMs === 0) this.#record();
      this.#sweep();
      this.nowMs += stepMs;
      this.#announce();
      if (this.#heldAt === null) await this.work();
    }
  }

  /** What the service does in a step, once. */
  async work(): Promise<void> {
    const deps = { database: this.#database, call: this.call };
    while (await followPart(deps, this.nowMs));
    while (await judgePart(deps, this.nowMs));
    await watchProviders(deps, this.nowMs);
    await this.#repair();
    while (await followPart(deps, this.nowMs));
  }

  /** Records that people made until now, and how many are not stored, or more than once. */
  get lost(): { readonly missing: number; readonly doubled: number } {
    const due = this.people
      .filter(({ isRevoked }) => !isRevoked)
      .flatMap(({ recorded }) => recorded)
      .filter(({ atMs }) => atMs <= this.nowMs);
    return {
      missing: due.filter(({ stored }) => stored === 0).length,
      doubled: due.filter(({ stored }) => stored > 1).length,
    };
  }

  // The day begins: what each person will record on it, within an hour of the habit.
  #record(): void {
    for (const person of this.people) {
      const habit = habits[person.provider] ?? {};
      for (const [kind, hours] of Object.entries(habit).filter(([name]) => !person.stopped.has(name)))
        for (const hour of hours) {
          const shift = (this.#random() + this.#random() - 1) * hourMs;
          const atMs = this.nowMs + dayMs + hour * hourMs - person.offsetMs - 13 * hourMs + shift;
          person.recorded.push({ kind: kindNamed(kind), atMs, stored: 0 });
        }
    }
  }

  // What pull-ingest reads once a day without a notification, each connection at its own time.
  #sweep(): void {
    for (const [index, person] of this.people.entries()) {
      if (!isSwept(person.provider) || (this.nowMs / stepMs + index) % (dayMs / stepMs) !== 0) continue;
      const days = person.recorded.filter(({ atMs }) => atMs <= this.nowMs && atMs > this.nowMs - 7 * dayMs);
      this.counts.faultless += 1;
      this.#read(person, days);
    }
  }

  #announce(): void {
    for (const person of this.people) {
      const due = person.recorded.filter(({ atMs }) => atMs <= this.nowMs && atMs > this.nowMs - stepMs);
      person.recorded = person.recorded.filter(({ atMs }) => atMs > this.nowMs - 6 * dayMs);
      for (const one of due) {
        const { provider } = person;
        this.counts.faultless += 1;
        if (this.faults.isSilent(provider) || this.#random() < this.faults.dropped) continue;
        const times = this.#random() < this.faults.doubled ? 2 : 1;
        // An announcement leads to all of the day.
        const day = person.recorded.filter(
          ({ kind, atMs }) => kind === one.kind && atMs <= this.nowMs && atMs > one.atMs - dayMs,
        );
        for (let time = 0; time < times; time++) this.#read(person, day);
      }
    }
  }

  // A request to the provider, and what the store makes of its answer: what is stored already changes nothing.
  #read(person: Person, some: readonly Recorded[]): boolean {
    const { provider, user_id, connection_id } = person;
    this.counts.reads += 1;
    const isDown = this.faults.isDown(provider);
    this.#answers.push({ provider, atMs: this.nowMs, failed: isDown });
    if (isDown) return false;
    if (person.isRevoked) {
      const isKnown = this.#log.some((one) => one.type === 'connection.expired' && one.user_id === user_id);
      if (!isKnown) this.#write({ user_id, provider, type: 'connection.expired', connection_id });
      return true;
    }
    for (const one of some) {
      if (one.stored > 0) continue;
      one.stored += 1;
      const detail = seriesOf[one.kind] ?? null;
      const type = one.kind === 'sleep' ? 'sleep.created' : 'timeseries.updated';
      this.#write({ user_id, provider, type, detail, last_ms: one.atMs });
    }
    return true;
  }

  #write(change: Pick<Change, 'user_id' | 'provider' | 'type'> & Partial<Change>): void {
    const empty = { connection_id: null, detail: null, last_ms: null, historical: false };
    this.#log.push({ ...empty, project_id: 'default', recorded_ms: this.nowMs, ...change });
  }

  // Runs the jobs of repairs that are due, as the worker of jobs does.
  async #repair(): Promise<void> {
    const jobs = await this.#database.query<{ key: string; payload: unknown }>(
      "delete from jobs.job where kind = 'freshness.repair' returning key, payload",
    );
    this.#probes = 0;
    const handler = repairHandler({ call: this.call, database: this.#database, now: () => this.nowMs });
    const row = {
      kind: 'freshness.repair',
      attempt: 1,
      failures: 0,
      version: 1,
      cancelled: false,
      crashes: 0,
    };
    const held = { signal: new AbortController().signal, holds: async () => true };
    for (const job of jobs) await handler.work({ ...row, ...job, created_at: new Date() }, held);
    this.counts.probes = Math.max(this.counts.probes, this.#probes);
  }

  /** The other services, as far as this one calls them. */
  readonly call: Call = (async (name: string, params: unknown) => {
    return answer(this, name, params);
  }) as never;

  /** The part of the change log after an id, which is a number of changes. */
  arrivals(after: number, limit: number): Actions['webhooks.arrivals']['returns'] {
    const changes = this.#log.slice(after, after + limit);
    return { changes, last_id: String(after + changes.length), has_more: changes.length === limit };
  }

  answersOfMinutes(): Answers {
    const recent = this.#answers.filter(({ atMs }) => atMs > this.nowMs - 2 * stepMs);
    this.#answers.splice(0, this.#answers.length, ...recent);
    // A step of the simulation counts as five minutes, so that two of them are ten.
    return [...Map.groupBy(recent, ({ provider, atMs }) => `${provider} ${atMs}`).values()].flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const minutes_ago = Math.floor((this.nowMs - first.atMs) / stepMs) * 5;
      const failed = own.filter((one) => one.failed).length;
      return [{ provider: first.provider, minutes_ago, requests: own.length, failed }];
    });
  }

  fetch(userId: string, provider: string, kinds: readonly string[], startMs: number): void {
    const person = this.people.find((one) => one.user_id === userId && one.provider === provider);
    if (person === undefined) throw new Error('nobody has this connection');
    this.counts.repairs += 1;
    if (this.faults.isDown(person.provider)) this.#probes += 1;
    const wanted = person.recorded.filter(
      ({ kind, atMs }) => kinds.includes(kind) && atMs >= startMs && atMs <= this.nowMs,
    );
    const missing = wanted.filter(({ stored }) => stored === 0);
    if (!this.#read(person, wanted) || person.isRevoked) return;
    for (const { atMs } of missing) this.counts.repairedAfter.push((this.nowMs - atMs) / hourMs);
  }
}

const isSwept = (provider: ProviderName) => providers[provider].backfill.from === 'pages';
