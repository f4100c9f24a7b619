import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { activitynetApi } from './activitynet/api.ts';
import { activitynetPost, sendEvents } from './activitynet/events.ts';
import { readLimits } from './activitynet/limits.ts';
import { activitynetOauth } from './activitynet/oauth.ts';
import { activitynetSubscriptions, subscriptionIdOf } from './activitynet/subscription.ts';
import { startClock } from './clock.ts';
import { controlRoutes } from './control.ts';
import { daysInMemory } from './days.ts';
import { devicemakerAccountApi } from './devicemaker/account-api.ts';
import { quarterOf } from './devicemaker/accounts.ts';
import { devicemakerCallbacks } from './devicemaker/callbacks.ts';
import { devicemakerHistory } from './devicemaker/history.ts';
import { sendLive } from './devicemaker/live.ts';
import { devicemakerPost, noteSent } from './devicemaker/notify.ts';
import { devicemakerOauth } from './devicemaker/oauth.ts';
import { noFaults } from './faults.ts';
import { type Ask, type Reply, type Route, readAsk, refused, routeOf, writeReply } from './http.ts';
import { openOutbox, senderOf } from './outbox.ts';
import { personAt } from './people.ts';
import { type Application, openStore, type Store } from './store.ts';
import { serveWithFaults } from './trouble.ts';
import type { SandboxLimits, World } from './world.ts';

/** What a sandbox may be told; all of it may be left out. */
export interface SandboxOptions {
  /** 0, or nothing: the port of the last run if it is free, else any. */
  readonly port?: number;
  readonly seed?: string;
  /** Where it remembers over a restart; nowhere without. */
  readonly file?: string | null;
  /** The clock begins here; without it where it stood, else now, or with a speed of more than 1 a week ago. */
  readonly startMs?: number;
  /** How many times as fast as the wall's; 0 is a clock that only `turn` moves. */
  readonly speed?: number;
  readonly application?: Partial<Application>;
  readonly limits?: Partial<SandboxLimits>;
  readonly redirectOrigins?: readonly string[];
}

/** A sandbox that runs. */
export interface Sandbox {
  readonly world: World;
  readonly access: SandboxAccess;
  /** Turns the clock on; all that is due on the way is over when it returns. */
  turn(byMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Where the two providers are, and the credentials of the application there. */
export interface SandboxAccess {
  readonly url: string;
  readonly devicemaker: Client & {
    readonly api_url: string;
    readonly authorize_url: string;
    readonly token_url: string;
  };
  readonly activitynet: Client & {
    readonly api_url: string;
    readonly oauth_url: string;
    readonly subscription_id: number;
  };
}

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

const sliceMs = 900_000;
const weekMs = 7 * 86_400_000;
const usualLimits: SandboxLimits = {
  batchWindowMs: 5 * 60_000,
  historyRequestsPerMinute: 1000,
  readsPer15Minutes: 100,
  readsPerDay: 1000,
};

/** Starts both providers on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const store = openStore(options.file ?? null, options.seed ?? 'sandbox');
  Object.assign(store.book.application, options.application);
  const server = createServer({ requestTimeout: 30_000 });
  const url = await listen(server, options.port ?? 0, store);
  const world = worldOf(options, store, url);
  const limits = readLimits(world.clock, world.limits);
  const routes = [
    ...devicemakerOauth(world),
    ...devicemakerAccountApi(world),
    ...devicemakerHistory(world),
    ...devicemakerCallbacks(world),
    ...activitynetOauth(world),
    ...activitynetSubscriptions(world),
    ...activitynetApi(world, limits),
    ...controlRoutes(world),
  ];
  server.on('request', (incoming, response) => void serve(world, routes, incoming, response));
  keepTime(world);
  world.outbox.resume();
  return {
    world,
    access: accessOf(store, url),
    turn: (byMs) => world.clock.turn(byMs),
    stop: () => stop(world, server),
  };
}

function worldOf(options: SandboxOptions, store: Store, url: string): World {
  const { seed = 'sandbox', redirectOrigins = [] } = options;
  const speed = options.speed ?? 1;
  const clock = startClock({ speed, startMs: options.startMs ?? startOf(store, speed) });
  const faults = noFaults(clock, seed);
  const outbox = openOutbox({
    clock,
    store,
    faults,
    compose: (contents) =>
      senderOf(contents) === 'activitynet'
        ? activitynetPost(world, contents)
        : devicemakerPost(world, contents),
    acknowledged: (contents) => noteSent(world, contents),
  });
  const limits = { ...usualLimits, ...options.limits };
  const person = (index: number) => personAt(seed, index);
  const world: World = {
    clock,
    store,
    faults,
    outbox,
    limits,
    url,
    redirectOrigins,
    person,
    days: daysInMemory(),
  };
  return world;
}

// A fast clock begins a week ago and catches up; one that stood still while the program was away goes on from there.
function startOf({ book }: Store, speed: number): number {
  const nowMs = Date.now();
  if (speed <= 1) return Math.max(nowMs, book.clock?.shows_ms ?? 0);
  return Math.max(book.clock?.shows_ms ?? 0, nowMs - weekMs);
}

/** Each full quarter of an hour what is new is sent. */
function keepTime(world: World): void {
  const { clock, store } = world;
  const next = () => clock.at(quarterOf(clock.nowMs()) + sliceMs, tick);
  const tick = () => {
    sendLive(world);
    sendEvents(world);
    store.book.clock = { shows_ms: clock.nowMs(), wall_ms: Date.now() };
    next();
  };
  clock.at(clock.nowMs(), tick);
}

async function listen(server: Server, wanted: number, store: Store): Promise<string> {
  const port = await listenOn(server, wanted === 0 ? store.book.port : wanted).catch((error: unknown) => {
    if (wanted !== 0) throw error;
    return listenOn(server, 0);
  });
  store.book.port = port;
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
  routes: readonly Route[],
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

async function answer(world: World, routes: readonly Route[], incoming: IncomingMessage): Promise<Reply> {
  // A name that leads here from elsewhere would let any page in a browser in.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(incoming.headers.host ?? ''))
    return refused('Only for this machine.', 403);
  const asked: Ask = await readAsk(incoming);
  const found = routeOf(routes, asked);
  if (typeof found === 'number')
    return refused(found === 404 ? 'There is nothing here.' : 'Not this way.', found);
  return serveWithFaults(world, found.route, found.ask);
}

function accessOf({ book }: Store, url: string): SandboxAccess {
  return {
    url,
    devicemaker: {
      ...book.devicemaker,
      api_url: `${url}/devicemaker/rest`,
      authorize_url: `${url}/devicemaker/oauth2Confirm`,
      token_url: `${url}/devicemaker/oauth/token`,
    },
    activitynet: {
      ...book.activitynet,
      api_url: `${url}/activitynet/api/v3`,
      oauth_url: `${url}/activitynet/oauth`,
      subscription_id: subscriptionIdOf({ book }),
    },
  };
}

async function stop({ clock, outbox, store }: World, server: Server): Promise<void> {
  store.book.clock = { shows_ms: clock.nowMs(), wall_ms: Date.now() };
  clock.stop();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await outbox.stop();
  store.close();
}
