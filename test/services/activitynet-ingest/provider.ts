import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** One request that came, in order. */
interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | null;
  readonly status: number;
  readonly atMs: number;
}

/**
 * What a read is answered with instead: a status, with a body too, silence for a while or until something happened, or a cut
 * connection.
 */
export type Fault =
  | number
  | 'cut'
  | { readonly delayMs: number }
  | { readonly until: Promise<void> }
  | { readonly status: number; readonly body: unknown };

/** The activity platform, played over HTTP: it counts, and refuses what goes beyond its limits. */
export interface Provider {
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly asked: Asked[];
  /** Details and streams by the activity's id. */
  readonly activities: Map<string, { details: unknown; streams?: unknown }>;
  /** Activities that the list leaves out. */
  readonly unlisted: Set<string>;
  /** Tokens that are good. Empty: any. */
  readonly tokens: Set<string>;
  readonly refreshes: string[];
  /** How far the clock is turned ahead of the real one: at first to a minute after a quarter hour. */
  ahead: number;
  limits: { quarter: number; day: number };
  /** Reads of others of the same application, in every window. */
  others: number;
  fault: ((path: string) => Fault | null) | null;
  refresh: () => { status: number; body: unknown };
  /** Which answers carry the headers; every third leaves them out unless told. */
  tells: (n: number) => 'read' | 'all' | null;
  /** The most reads in any quarter hour and in any day, refused ones too, and how many were refused. */
  most(): { quarter: number; day: number; refused: number };
}

const quarterMs = 900_000;
const dayMs = 86_400_000;

/** Starts the provider; it stops when the test ends. */
export async function startProvider(t: Test): Promise<Provider> {
  const perWindow = { quarter: new Map<number, number>(), day: new Map<number, number>(), refused: 0 };
  const server = createServer((req, res) => void handle(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const provider: Provider = {
    url,
    settings: {
      ACTIVITYNET_API_URL: `${url}/api/v3`,
      ACTIVITYNET_OAUTH_URL: `${url}/oauth`,
      ACTIVITYNET_CLIENT_ID: '4711',
      ACTIVITYNET_CLIENT_SECRET: 'the client secret',
    },
    asked: [],
    activities: new Map(),
    unlisted: new Set(),
    tokens: new Set(),
    refreshes: [],
    ahead: quarterMs - (Date.now() % quarterMs) + 60_000,
    limits: { quarter: 100, day: 1000 },
    others: 0,
    fault: null,
    refresh: () => ({ status: 400, body: { errors: [{ resource: 'RefreshToken', code: 'invalid' }] } }),
    tells: (n) => (n % 3 === 2 ? null : 'read'),
    most: () => ({
      quarter: Math.max(0, ...perWindow.quarter.values()),
      day: Math.max(0, ...perWindow.day.values()),
      refused: perWindow.refused,
    }),
  };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', url);
    if (pathname === '/oauth/token') return refreshed(req, res);
    const fault = provider.fault?.(pathname) ?? null;
    const atMs = Date.now() + provider.ahead;
    const used = count(atMs);
    const token = req.headers.authorization?.replace(/^Bearer /, '') ?? null;
    const note = (status: number) =>
      provider.asked.push({ path: pathname, query: searchParams, token, status, atMs });
    if (fault === 'cut') {
      note(0);
      req.socket.destroy();
      return;
    }
    if (typeof fault === 'object' && fault !== null && 'delayMs' in fault) await pause(fault.delayMs);
    if (typeof fault === 'object' && fault !== null && 'until' in fault) await fault.until;
    const forced = forcedBy(fault);
    const over = used.quarter > provider.limits.quarter || used.day > provider.limits.day;
    if (over) perWindow.refused += 1;
    const known = provider.tokens.size === 0 || (token !== null && provider.tokens.has(token));
    const found = over ? null : bodyOf(pathname, searchParams);
    const status = forced?.status ?? (over ? 429 : !known ? 401 : found === undefined ? 404 : 200);
    note(status);
    tell(res, used);
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(forced?.body ?? (status === 200 ? found : { message: 'error' })));
  }

  function count(atMs: number): { quarter: number; day: number } {
    const add = (windows: Map<number, number>, width: number) => {
      const window = Math.floor(atMs / width);
      windows.set(window, (windows.get(window) ?? provider.others) + 1);
      return windows.get(window) ?? 0;
    };
    return { quarter: add(perWindow.quarter, quarterMs), day: add(perWindow.day, dayMs) };
  }

  function bodyOf(path: string, query: URLSearchParams): unknown {
    if (path === '/api/v3/athlete/activities') return listed(query);
    const [, id = '', part] = /^\/api\/v3\/activities\/(\d+)(\/streams)?$/.exec(path) ?? [];
    const activity = provider.activities.get(id);
    return part === undefined ? activity?.details : activity?.streams;
  }

  function listed(query: URLSearchParams): unknown[] {
    const [page, perPage] = [Number(query.get('page')), Number(query.get('per_page'))];
    const seconds = (one: unknown) => Date.parse(String(Reflect.get(Object(one), 'start_date'))) / 1000;
    return [...provider.activities]
      .filter(([id]) => !provider.unlisted.has(id))
      .map(([, { details }]) => details)
      .filter(
        (one) => seconds(one) > Number(query.get('after')) && seconds(one) < Number(query.get('before')),
      )
      .sort((a, b) => seconds(a) - seconds(b))
      .slice((page - 1) * perPage, page * perPage)
      .map((one) => ({ ...Object(one), calories: undefined, device_name: undefined }));
  }

  let told = 0;
  function tell(res: ServerResponse, used: { quarter: number; day: number }): void {
    told += 1;
    const how = provider.tells(told);
    if (how === null) return;
    const name = how === 'read' ? 'X-ReadRateLimit' : 'x-ratelimit';
    res.setHeader(`${name}-Limit`, `${provider.limits.quarter},${provider.limits.day}`);
    res.setHeader(`${name}-Usage`, `${used.quarter},${used.day}`);
    if (how === 'read') {
      res.setHeader('X-RateLimit-Limit', `${provider.limits.quarter * 2},${provider.limits.day * 2}`);
      res.setHeader('X-RateLimit-Usage', `${used.quarter},${used.day}`);
    }
  }

  async function refreshed(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(Buffer.from(chunk));
    provider.refreshes.push(Buffer.concat(chunks).toString());
    await pause(50);
    const { status, body } = provider.refresh();
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  return provider;
}

function forcedBy(fault: Fault | null): { status: number; body?: unknown } | null {
  if (typeof fault === 'number') return { status: fault };
  return typeof fault === 'object' && fault !== null && 'status' in fault ? fault : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
