import { once } from 'node:events';
import { get, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { startFlags } from './checkout.ts';
import { startChild } from './child.ts';
import { Usage } from './parent.ts';

/** A process of the product. */
export interface ProductProcess {
  readonly pid: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** A process of the product with the gateway in it. */
export interface Product extends ProductProcess {
  readonly url: string;
  readonly key: string;
  /** An address that signs a browser in to the console once. */
  signInUrl(): Promise<string>;
  /** The heap that is in use after a collection, in bytes. */
  heapBytes(): Promise<number>;
  /** Reads a path below /api/v1. @throws Error if the answer is not 200 */
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** Begins to read a path below /api/v1. @throws Error if the answer is not 200 */
  open(path: string): Promise<IncomingMessage>;
  /** Waits until a path is served: a gateway that has just started does not know the other processes yet. */
  untilServed(path: string): Promise<void>;
}

/** The memory of a process in MB: now, and at its peak. */
export async function megabytesOf(
  process: Pick<ProductProcess, 'usage'>,
): Promise<{ rss: number; peak: number }> {
  const { rss_bytes, peak_rss_bytes } = await process.usage();
  return { rss: rss_bytes / 1024 ** 2, peak: peak_rss_bytes / 1024 ** 2 };
}

/** The servers and the services to start. */
export interface ProductChoice {
  readonly databaseUrl: string;
  readonly natsUrl?: string;
  readonly services?: readonly string[];
  /** The folder of another checkout. Default: this one. */
  readonly folder?: string;
  /** Settings in addition to those of all processes of the bench. */
  readonly settings?: Readonly<Record<string, string>>;
}

const [mostLooks, lookMs] = [300, 100];
const unlimited = '1000000000';
/** Encrypts the secrets of every process of the bench. */
export const encryptionKey = 'the bench needs no secret that is secret';
const settings = {
  // as npm start has it
  MALLOC_ARENA_MAX: '2',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
  SANDBOX: 'off',
  RATE_LIMIT_API_KEY: unlimited,
  RATE_LIMIT_SDK: unlimited,
  RATE_LIMIT_DEVELOPER: unlimited,
  RATE_LIMIT_ADDRESS: unlimited,
  RATE_LIMIT_WEBHOOK: unlimited,
  JWT_SECRET: encryptionKey,
  ENCRYPTION_KEY: encryptionKey,
};
const Entrance = z.object({ url: z.url(), key: z.string() });
const Response = z.tuple([z.instanceof(IncomingMessage)]);

/** Starts several workers with all services that share a port. */
export async function startWorkers(choice: ProductChoice) {
  const child = start(choice, 'workers-process.ts');
  return { pid: child.pid, url: await child.ask(z.url(), { kind: 'url' }), stop: () => child.stop() };
}

/** Starts services without the gateway. */
export function startServices(choice: ProductChoice): ProductProcess {
  const child = start(choice);
  return { pid: child.pid, usage: () => child.ask(Usage, { kind: 'usage' }), stop: () => child.stop() };
}

/** Starts all services, or some including the gateway, in a separate process. */
export async function startProduct(choice: ProductChoice): Promise<Product> {
  const child = start(choice);
  const { url, key } = await child.ask(Entrance, { kind: 'entrance' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}/api/v1${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
    return response.json();
  };
  return {
    pid: child.pid,
    url,
    key,
    usage: () => child.ask(Usage, { kind: 'usage' }),
    heapBytes: () => child.ask(z.number(), { kind: 'heap' }),
    signInUrl: () => child.ask(z.string(), { kind: 'sign-in' }),
    stop: () => child.stop(),
    get: (path) => ask(path, {}),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    async open(path) {
      const [response] = Response.parse(await once(get(`${url}/api/v1${path}`, { headers }), 'response'));
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
      return response;
    },
    async untilServed(path) {
      for (let left = mostLooks; left > 0; left--) {
        if ((await fetch(`${url}/api/v1${path}`, { headers })).status !== 503) return;
        await wait(lookMs);
      }
    },
  };
}

const root = join(import.meta.dirname, '..');

function start(choice: ProductChoice, file = 'product-process.ts') {
  const { databaseUrl, natsUrl, services = [], folder = root, settings: own = {} } = choice;
  const env = {
    ...settings,
    ...own,
    DATABASE_URL: databaseUrl,
    SERVICES: services.join(','),
    ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
  };
  return startChild(join(folder, 'bench', file), env, startFlags(folder));
}
