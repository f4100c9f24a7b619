import type { Test } from 'tap';
import { z } from 'zod';
import { fieldsOf } from '../../sandbox/connect/connect-users.ts';
import type { Post } from '../../sandbox/server/delivery.ts';
import type { Fault, FaultKind } from '../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import type { Provider } from '../../sandbox/simulation/simulation.ts';
import { activitynetIngestService } from '../../services/activitynet-ingest/activitynet-ingest.service.ts';
import { pullIngestService } from '../../services/pull-ingest/pull-ingest.service.ts';
import { environmentOf, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../stack/sandbox/sandbox-users.ts';
import { joinApi, type TestApi } from '../support/api.ts';
import { testConfig } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { startForwarder } from '../support/servers/forwarder.ts';
import { until } from '../support/until.ts';
import { unlimited } from './unlimited.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** People of the simulation in addition to those of its table. */
const morePeople = 200;

/** The product with all simulated providers. */
export interface Product {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  /** The secret of a provider's webhook addresses. */
  secretOf(provider: string): string;
  /** Moves the clock by which read quotas have their windows. */
  skipWindow(): void;
}

/** A fault that is active, and its removal. */
export interface Struck {
  readonly fault: Fault;
  end(): void;
}

const secretOf = (provider: string) => `secret-of-${provider}-of-the-conformance-tests`;
const secrets = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`WEBHOOK_SECRET_${name.toUpperCase()}`, secretOf(name)]));

/** Starts the product and the simulated providers. Past data is not requested by itself. */
export async function startProduct(t: Test): Promise<Product> {
  // Noon, 23 to 47 hours ago: the time of day is the same in each run, the suite ends in the past, and reads of two days reach its start.
  const startMs = Math.floor((Date.now() - 35 * hourMs) / dayMs) * dayMs + 12 * hourMs;
  const limits = {
    ...{ batchWindowMs: 1000, requestsPerMinute: 1_000_000, retryAfterSeconds: 600 },
    ...{ readsPer15Minutes: 1_000_000, readsPerDay: 1_000_000 },
  };
  const sandbox = await startSandbox({ seed: 'a seed', speed: 0, startMs, limits });
  t.teardown(() => sandbox.stop());
  sandbox.world.store.state.more_people = morePeople;
  const { url, forwardTo } = await startForwarder(t);
  const ahead = { ms: 0 };
  const database = await freshDatabase(t);
  const settings = { ...settingsFor(sandbox), PUBLIC_URL: url };
  const api = await joinApi(t, { database, settings, instead: servicesWithoutPauses(ahead) });
  forwardTo(api.url);
  const config = testConfig({ databaseUrl: database.url, settings });
  await pointAt(sandbox, api.url, AbortSignal.timeout(60_000), config);
  return {
    ...{ api, sandbox, secretOf },
    skipWindow() {
      ahead.ms += hourMs / 4;
    },
  };
}

// The simulations count requests without a limit, and so do the services.
function settingsFor(sandbox: Sandbox): Record<string, string> {
  return {
    ...environmentOf(settingsOf(sandbox.access)),
    ...secrets(sandbox.providers.map(({ name }) => name)),
    ...{ BACKFILL_ON_CONNECT: 'false', BACKFILL_DAYS: '1', BACKFILL_TYPES: 'dailies' },
    ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000', RATE_LIMIT_FAILURES: '100000' },
    ...unlimited,
  };
}

// Production spaces its requests and polls by the second.
function servicesWithoutPauses(ahead: { readonly ms: number }) {
  const pace = { pollMs: 100, firstPauseMs: 10 };
  return [
    pullIngestService({ pollMs: 100, settleMs: 0, floorMs: 0, upkeepMs: 1000, firstUpkeepMs: 50 }),
    activitynetIngestService({ ...pace, spacingMs: 0, aheadMs: () => ahead.ms }),
  ];
}

/** A simulated provider. */
export function simulationOf({ sandbox }: Product, name: string): Provider {
  const found = sandbox.providers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not simulated`);
  return found;
}

/** Lets a fault of a provider occur; each time unless `probability` says otherwise. */
export function strike(
  { sandbox }: Product,
  provider: string,
  kind: FaultKind,
  choice: { readonly probability?: number; readonly spreadSeconds?: number } = {},
): Struck {
  const { faults } = sandbox.world;
  const { probability = 1, spreadSeconds = 60 } = choice;
  const timing = { for_seconds: null, delay_ms: 1, spread_seconds: spreadSeconds };
  const fault = faults.add({ kind, provider, probability, ...timing });
  return { fault, end: () => void faults.remove(fault.id) };
}

/** Counts the requests of the product to a provider from now on. */
export function countRequests(product: Product, provider: string): { readonly count: () => number } {
  const { fault } = strike(product, provider, 'delay');
  return { count: () => fault.hits };
}

/** Calls a control route of the simulation. */
export async function control(
  { sandbox }: Product,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.access.url}${path}`, { method, headers, ...sent });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

/** Sends a notification or an upload; returns the status. */
export async function send({ url, headers, body }: Post): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.status;
}

const Created = z.object({ id: z.string() });
const Link = z.object({ authorization_url: z.string() });

/** Creates a user. */
export async function newUser({ api }: Product): Promise<string> {
  return Created.parse(await api.expect(201, '/users', { method: 'POST', body: {} })).id;
}

/** What a user chooses on the consent page of a provider. */
export interface Consent {
  readonly userId: string;
  readonly provider: string;
  readonly person: number;
  readonly without: readonly string[];
  /** The region of the account. Omitted: the provider has none, or its first one. */
  readonly region?: string | undefined;
}

/** Connects as a browser does: link, consent page, callback. Returns the status of the result. */
export async function consent(product: Product, choice: Consent): Promise<string> {
  const { userId, provider, person, without, region } = choice;
  const query = new URLSearchParams({ user_id: userId, ...(region === undefined ? {} : { region }) });
  const asked = await product.api.expect(200, `/connect/${provider}/authorize?${query}`);
  const link = Link.parse(asked).authorization_url;
  const fields = fieldsOf(await (await fetch(link)).text());
  const kept = fields.getAll('permission').filter((one) => !without.some((part) => one.includes(part)));
  fields.delete('permission');
  for (const one of kept) fields.append('permission', one);
  fields.set('person', String(person));
  fields.set('decision', 'allow');
  const decided = await fetch(link, { method: 'POST', body: fields, redirect: 'manual' });
  const landed = await fetch(decided.headers.get('location') ?? link, { redirect: 'manual' });
  const result = URL.parse(landed.headers.get('location') ?? '', link);
  return result?.searchParams.get('status') ?? `status ${landed.status}`;
}

/** The status of a user's connection. */
export async function statusOf({ api }: Product, userId: string): Promise<string | undefined> {
  return (await api.call('users.connections', { user_id: userId }))[0]?.status;
}

/** The account id of a user's connection. */
export async function accountIdOf({ api }: Product, userId: string): Promise<string> {
  return (await api.call('users.connections', { user_id: userId }))[0]?.provider_user_id ?? '';
}

const open = `
  select from deliveries.delivery where state in ('ready', 'working')
  union all select from pull.reading where run_at is not null
  union all select from activitynet.activity where work is not null
  union all select from activitynet.listing where purpose = 'backfill' and state = 'listing'
  union all select from backfill.run where state = 'running'
  limit 1`;

/** Waits until the product has no work of deliveries and reads. */
export async function settled({ api }: Product): Promise<void> {
  await until(async () => (await api.database.query(open)).length === 0);
}

const busy = `
  select from deliveries.delivery where state = 'working' or state = 'ready' and run_at <= now()
  union all select from pull.reading where leased or run_at <= now()
  union all select from activitynet.activity where work is not null and leased
  limit 1`;

const looksInARow = 5;

/** Waits until no work is done or due at several looks in a row: all that is left waits for a time. */
export async function untilIdle({ api }: Product, isOver: () => boolean = () => false): Promise<void> {
  let idle = 0;
  await until(async () => {
    idle = (await api.database.query(busy)).length === 0 ? idle + 1 : 0;
    return idle === looksInARow || isOver();
  });
}
