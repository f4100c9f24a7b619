import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { simulations } from '../all.ts';
import { quarterOf, sliceMs, startClock } from '../simulation/clock.ts';
import { simulatedUserAt } from '../simulation/simulated-users.ts';
import type { Provider, SandboxAccess } from '../simulation/simulation.ts';
import type { SandboxLimits, World } from '../simulation/world.ts';
import { Application, controlRoutes } from './control.ts';
import { createFaults } from './faults.ts';
import {
  type HttpRequest,
  type Reply,
  type Route,
  readRequest,
  refused,
  routeOf,
  writeReply,
} from './http.ts';
import { openOutbox } from './outbox.ts';
import { serveWithFaults } from './serve-with-faults.ts';
import { type Client, merged, openStore, type State, type Store } from './store.ts';

/** Options of a sandbox; each has a default. */
export interface SandboxOptions {
  /** 0 or undefined: the port of the last run if it is free, otherwise any. */
  readonly port?: number;
  readonly seed?: string;
  /** The file of the state that survives a restart; null: none. */
  readonly file?: string | null;
  /** The start of the clock. Default: the saved time; without one now, or a week ago if the speed is above 1. */
  readonly startMs?: number;
  /** The speed relative to the wall clock. With 0 only `advance` moves the clock. */
  readonly speed?: number;
  /** Settings as in PUT /application. */
  readonly application?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<SandboxLimits>;
  readonly redirectOrigins?: readonly string[];
  /** Further clients of a provider that has several. */
  readonly otherClients?: readonly Client[];
}

/** A running sandbox. */
export interface Sandbox {
  readonly world: World;
  readonly access: SandboxAccess;
  readonly providers: readonly Provider[];
  /** Advances the clock. All tasks that become due are complete when it returns. */
  advance(byMs: number): Promise<void>;
  stop(): Promise<void>;
}

const weekMs = 7 * 86_400_000;
const usualLimits: SandboxLimits = {
  batchWindowMs: 5 * 60_000,
  backfillRequestsPerMinute: 1000,
  readsPer15Minutes: 100,
  readsPerDay: 1000,
  requestsPerMinute: 120,
  retryAfterSeconds: 1,
};

/** A route, and the provider whose API it belongs to. */
type ServedRoute = Route & { readonly provider?: Provider };

/** Starts all simulated providers on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const store = openStore(options.file ?? null, options.seed ?? 'sandbox');
  store.state.application = applicationOf(store.state, options.application);
  const server = createServer({ requestTimeout: 30_000 });
  const url = await listen(server, options.port ?? 0, store);
  const { world, providers } = openProviders(options, store, url);
  const routes: ServedRoute[] = [
    ...providers.flatMap((provider) => provider.routes.map((route) => ({ ...route, provider }))),
    ...controlRoutes(world, providers),
  ];
  server.on('request', (incoming, response) => void serve(world, routes, incoming, response));
  keepTime(world, providers);
  world.outbox.resume();
  const settings = Object.fromEntries(providers.flatMap((one) => Object.entries(one.settings)));
  return {
    world,
    providers,
    access: { url, settings },
    advance: (byMs) => world.clock.advance(byMs),
    stop: () => stop(world, server),
  };
}

/** The saved settings if they are valid, otherwise the initial ones, with the changes of the caller. */
function applicationOf({ application }: State, wanted: SandboxOptions['application']): State['application'] {
  const initial = merged(simulations.map((one) => one.application.initial));
  const saved = Application.safeParse({ ...initial, ...application });
  const known = saved.success ? saved.data : { ...initial, webhooks: null };
  return { ...application, ...Application.parse({ ...known, ...wanted }) };
}

function openProviders(options: SandboxOptions, store: Store, url: string) {
  const { seed = 'sandbox', redirectOrigins = [], otherClients = [] } = options;
  const speed = options.speed ?? 1;
  const clock = startClock({ speed, startMs: options.startMs ?? startOf(store, speed) });
  const faults = createFaults(clock, seed);
  const senderOf = (name: string) => providers.find((one) => one.name === name);
  const world: World = {
    clock,
    store,
    faults,
    url,
    redirectOrigins,
    otherClients,
    outbox: openOutbox({ clock, store, faults, senderOf }),
    limits: { ...usualLimits, ...options.limits },
    user: (index) => simulatedUserAt(seed, index),
  };
  const providers: readonly Provider[] = simulations.map((one) => one.open(world));
  return { world, providers };
}

// A fast clock starts a week ago and catches up, or continues from its saved time.
function startOf({ state }: Store, speed: number): number {
  const nowMs = Date.now();
  if (speed <= 1) return Math.max(nowMs, state.clock?.shows_ms ?? 0);
  return Math.max(state.clock?.shows_ms ?? 0, nowMs - weekMs);
}

/** Sends new data at each full quarter of an hour. */
function keepTime(world: World, providers: readonly Provider[]): void {
  const { clock, store } = world;
  const next = () => clock.at(quarterOf(clock.nowMs()) + sliceMs, tick);
  const tick = () => {
    for (const provider of providers) provider.sendNewData();
    store.state.clock = { shows_ms: clock.nowMs(), wall_ms: Date.now() };
    next();
  };
  clock.at(clock.nowMs(), tick);
}

async function listen(server: Server, wanted: number, store: Store): Promise<string> {
  const port = await listenOn(server, wanted === 0 ? store.state.port : wanted).catch((error: unknown) => {
    if (wanted !== 0) throw error;
    return listenOn(server, 0);
  });
  store.state.port = port;
  store.save();
  return `http://127.0.0.1:${port}`;
}

const Address = z.object({ port: z.number() });

function listenOn(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', () => {
    server.off('error', reject);
    resolve(Address.parse(server.address()).port);
  });
  return promise;
}

async function serve(
  world: World,
  routes: readonly ServedRoute[],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    writeReply(response, await answer(world, routes, incoming));
  } catch {
    if (!response.headersSent) writeReply(response, { status: 500, text: 'The sandbox failed.' });
    else response.destroy();
  }
}

async function answer(
  world: World,
  routes: readonly ServedRoute[],
  incoming: IncomingMessage,
): Promise<Reply> {
  // Other host names are refused, because a page in a browser could use one that resolves to this machine.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(incoming.headers.host ?? ''))
    return refused('Only for this machine.', 403);
  const asked: HttpRequest = await readRequest(incoming);
  const found = routeOf(routes, asked);
  if (typeof found === 'number')
    return refused(found === 404 ? 'There is nothing here.' : 'Not this way.', found);
  const { route, request } = found;
  return route.provider ? serveWithFaults(world, route.provider, route, request) : route.handle(request);
}

async function stop({ clock, outbox, store }: World, server: Server): Promise<void> {
  store.state.clock = { shows_ms: clock.nowMs(), wall_ms: Date.now() };
  clock.stop();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await outbox.stop();
  store.close();
}
