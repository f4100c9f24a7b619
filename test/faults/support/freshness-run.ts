// The whole product and the sandbox through simulated days: people connect, time passes by the hour, faults occur.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Fault, FaultKind } from '../../../sandbox/server/faults.ts';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { freshnessService } from '../../../services/freshness/freshness.service.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../../stack/sandbox/sandbox-users.ts';
import type { Product } from '../../conformance/product.ts';
import { connectTo } from '../../conformance/providers/simulated.ts';
import { descriptors } from '../../conformance/providers.ts';
import type { Account, Descriptor } from '../../conformance/scenarios.ts';
import { unlimited } from '../../conformance/unlimited.ts';
import { joinApi } from '../../support/api.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { startForwarder } from '../../support/servers/forwarder.ts';
import { type Difference, differenceOf } from './difference.ts';
import { type SimulatedTime, simulateTime } from './simulated-time.ts';

/** The providers that take part. The activity platform has no repairs yet; phones and files are not announced. */
const played = ['devicemaker', 'googlehealth', 'withings', 'whoop', 'oura', 'suunto', 'polar'] as const;
type Played = (typeof played)[number];

/** A Monday, so that weekly habits are the same in each run. Before 2030, where the comparisons end. */
const startMs = Date.UTC(2029, 0, 1);
const seed = 'a seed';
/** The number of the first person by provider: their devices have nights and are never taken off. */
const firstPerson: Readonly<Record<Played, number>> = {
  ...{ devicemaker: 1, googlehealth: 4, withings: 6, whoop: 1, oura: 1, suunto: 1, polar: 1 },
};
const kindsOfPeople = 6;
/** Connections by provider, one unless stated: an outage shows in several requests. */
const people: Partial<Readonly<Record<Played, number>>> = { withings: 2 };

/** A connection of the run. */
export interface Connected extends Account {
  readonly provider: Played;
}

/** A run, and how far it came. */
export interface FreshnessRun {
  readonly product: Product;
  readonly time: SimulatedTime;
  readonly connected: readonly Connected[];
  /** Hours since the first connection. */
  hours(): number;
  /** Lets hours pass, `stepHours` at a time. `each` runs after each step. */
  pass(hours: number, stepHours: number, each?: () => Promise<void>): Promise<void>;
  /** The same in steps of five minutes, each of which lasts until the answers of the providers are noted. */
  passSlowly(hours: number, each?: () => Promise<void>): Promise<void>;
  /** Lets the product do what it postponed to keep distances between reads, while the providers' clock stands. */
  rest(): Promise<void>;
  /** Adds a fault. Null as the provider: of all. */
  fault(kind: FaultKind, provider: Played | null, probability: number): Fault;
  /** Requests to providers so far. */
  requests(): number;
}

/** Starts a run with the usual people, or several times as many. */
export async function startFreshnessRun(t: Test, times: number): Promise<FreshnessRun> {
  const database = await freshDatabase(t);
  const time = await simulateTime(t, database, startMs);
  const product = await startProduct(t, database);
  const { faults } = product.sandbox.world;
  const fault = (kind: FaultKind, provider: Played | null, probability: number) =>
    faults.add({ kind, provider, probability, ...{ for_seconds: null, delay_ms: 1, spread_seconds: 60 } });
  const requests = fault('delay', null, 1);
  const connected: Connected[] = [];
  for (const provider of played)
    for (let index = 0; index < (people[provider] ?? 1) * times; index++) {
      const person = firstPerson[provider] + kindsOfPeople * index;
      connected.push({ provider, ...(await connectTo(product, provider, person, [])) });
    }
  const run = { product, time };
  await settle(run);
  return {
    ...{ product, time, connected, fault },
    hours: () => (product.sandbox.world.clock.nowMs() - startMs) / hourMs,
    requests: () => requests.hits,
    rest: () => settle(run, restMs),
    pass: (hours, stepHours, each) =>
      passBy(stepHours * hourMs, hours, () => step(run, stepHours * hourMs), each),
    passSlowly: (hours, each) =>
      passBy(
        slowMs,
        hours,
        async () => {
          await step(run, slowMs);
          await sleep(answersNotedMs);
        },
        each,
      ),
  };
}

const slowMs = 5 * minuteMs;
/** Answers of providers are noted every five seconds of the machine, at the time of the simulated clock. */
const answersNotedMs = 5500;

async function passBy(
  stepMs: number,
  hours: number,
  one: () => Promise<void>,
  each: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (let passedMs = 0; passedMs < hours * hourMs; passedMs += stepMs) {
    await one();
    await each();
  }
}

async function startProduct(t: Test, database: Awaited<ReturnType<typeof freshDatabase>>): Promise<Product> {
  const limits = {
    ...{ batchWindowMs: minuteMs, requestsPerMinute: 1_000_000 },
    ...{ readsPer15Minutes: 1_000_000, readsPerDay: 1_000_000 },
  };
  const sandbox = await startSandbox({ seed, speed: 0, startMs, limits });
  t.teardown(() => sandbox.stop());
  sandbox.world.store.state.more_people = 600;
  const { url, forwardTo } = await startForwarder(t);
  const secretOf = (provider: string) => `secret-of-${provider}-of-the-fault-runs`;
  const settings = {
    ...environmentOf(settingsOf(sandbox.access)),
    ...Object.fromEntries(played.map((name) => [`WEBHOOK_SECRET_${name.toUpperCase()}`, secretOf(name)])),
    ...{ BACKFILL_ON_CONNECT: 'false', PUBLIC_URL: url },
    ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000', RATE_LIMIT_FAILURES: '100000' },
    ...unlimited,
  };
  // Production polls by the second.
  const instead = [
    freshnessService({ pollMs: 50, firstMs: 0, now: () => Date.now() }),
    pullIngestService({ pollMs: 50, firstUpkeepMs: 0 }),
  ];
  const api = await joinApi(t, { database, settings, instead });
  forwardTo(api.url);
  await pointAt(
    sandbox,
    api.url,
    AbortSignal.timeout(60_000),
    testConfig({ databaseUrl: database.url, settings }),
  );
  return { api, sandbox, secretOf, skipWindow: () => undefined };
}

type Stepping = Pick<FreshnessRun, 'product' | 'time'>;

/** The pause before a notification is worked on, and the interval at which the change log is followed, are shorter. */
const settleMs = minuteMs;
/** No provider's reads have a larger distance. */
const restMs = 10 * minuteMs;

// The product is never behind the providers. Notifications are worked on in the first settled minute, their data is followed in the next.
async function step({ product, time }: Stepping, ms: number): Promise<void> {
  const { sandbox } = product;
  const untilMs = sandbox.world.clock.nowMs() + ms;
  await untilIdle(product);
  await time.jumpTo(untilMs);
  await sandbox.advance(ms);
  await settle({ product, time });
}

async function settle({ product, time }: Stepping, ms = settleMs): Promise<void> {
  await untilIdle(product);
  await time.jumpTo(time.nowMs() + ms);
  await untilIdle(product);
}

const busy = `
  select 'delivery' as what, d.provider as of from deliveries.delivery d
  where d.state = 'working' or d.state = 'ready' and d.run_at <= simulated.now()
  union all select 'reading', r.type from pull.reading r where r.leased or r.run_at <= simulated.now()
  union all select 'change', p.kind from changes.pending p where p.due_at <= simulated.now()
  union all select 'job', j.kind from jobs.job j where j.dead_at is null
    and (j.leased or j.run_at <= simulated.now() and j.kind ~ '^(freshness|pull-ingest)')
  limit 1`;

const looksInARow = 3;
const mostMs = 120_000;

/** Waits until nothing is in work or due. */
async function untilIdle({ api }: Product): Promise<void> {
  const end = performance.now() + mostMs;
  for (let idle = 0; idle < looksInARow; await sleep(20)) {
    const [seen] = await api.database.query<{ what: string; of: string }>(busy);
    idle = seen === undefined ? idle + 1 : 0;
    if (performance.now() > end) throw new Error(`still in work: ${seen?.what} ${seen?.of}`);
  }
}

/** From then on data is compared: at this time of the day all people are awake, so that no night begins before it. */
export const comparedFromMs = startMs + 15 * hourMs;
/** A heart rate, or an interval of steps, of the instant that the clock shows is announced with the next quarter of an hour. */
const announcedLater: Partial<Readonly<Record<Played, number>>> = {
  ...{ googlehealth: 1, withings: 1 },
};

/** Compares all that is stored of a connection with what its provider expects. */
export async function compare(
  { product }: Pick<FreshnessRun, 'product'>,
  one: Connected,
): Promise<Difference> {
  const descriptor: Descriptor = descriptors[one.provider];
  const { want, have } = await descriptor.compare(product, { ...one, fromMs: comparedFromMs });
  const { missing, more } = differenceOf(want, have);
  return { missing: Math.max(0, missing - (announcedLater[one.provider] ?? 0)), more };
}
