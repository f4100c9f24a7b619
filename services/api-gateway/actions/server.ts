import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as Listener, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context, type Service } from 'moleculer';
import type { IncomingRequest } from 'moleculer-web';
import type { Config } from '../../../config.ts';
import { mostFileBytes } from '../../../contracts/file-import.ts';
import { apiPrefix } from '../../../domain/contract.ts';
import { errorTable, ServiceError } from '../../../domain/errors.ts';
import { providerMeant } from '../../../providers/all.ts';
import { failureToSend, markFhir, markHead, sendFailure, setWindow } from '../work/answer.ts';
import { allowedMs, hasBody } from '../work/body.ts';
import { limited, type Pipeline } from '../work/exchange.ts';
import { sendConsolePage } from './console-files.ts';
import { methodsOf } from './routes.ts';

type Next = (error?: unknown) => void;
/** moleculer-web as a middleware: it runs the handler of a route, or calls `next`. */
type Router = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown;

const corsMaxAgeSeconds = 86_400;
const headersTimeoutMs = 66_000;
/** A connection without traffic is closed after this time, in any state. */
const silentMs = 300_000;

/**
 * The HTTP server in front of the router. It sets the common headers (request id, security) and answers HEAD, OPTIONS,
 * unknown routes and wrong methods. The API takes credentials in headers only, never in cookies, so it allows requests of all
 * origins: a web page can send only credentials that its user gave it. The console has a cookie, so it allows its own pages only.
 */
export function createGatewayServer(
  pipeline: Pipeline,
  router: Router,
  watch: (req: IncomingMessage, res: ServerResponse) => void,
): Server {
  const server = createServer((req, res) => {
    const asked = pathOf(req);
    watch(req, res);
    markFhir(res, asked);
    setCommonHeaders(req, res, asked);
    if (hasBody(req)) endUnreadBody(req, res, pipeline.config.BODY_TIMEOUT_SECONDS * 1000);
    setWindow(res, pipeline.windows.rest.peek(pipeline.addressOf(req), Date.now())); // replaced by the window that counts the request
    pipeline.webhooks.readSecret(req);
    if (req.method === 'OPTIONS') {
      answerOptions(req, res);
      return;
    }
    if (req.method === 'HEAD') {
      markHead(res);
      req.method = 'GET'; // node.js omits the body, because it has recorded HEAD before
    }
    if (req.method === 'GET' && req.url === '/') {
      res.writeHead(302, { Location: '/console', 'Content-Length': 0 }).end();
      return;
    }
    const path = pathOf(req);
    const sendError = (error: unknown) => sendFailure(res, failureToSend(error));
    router(req, res, () => void answerUnrouted(pipeline, req, res, path).catch(sendError));
  });
  server.on('clientError', answerUnreadable);
  server.maxConnections = pipeline.config.MAX_CONNECTIONS;
  server.timeout = silentMs;
  server.keepAliveTimeout = 65_000; // longer than that of a load balancer, so that the load balancer closes the connection
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs(pipeline.config);
  return server;
}

// An upper bound; bodies that are read have their own time-outs (`allowedMs`).
function requestTimeoutMs({ BODY_TIMEOUT_SECONDS }: Config): number {
  return headersTimeoutMs + allowedMs(BODY_TIMEOUT_SECONDS * 1000, mostFileBytes);
}

// Node.js reads the rest of an unread body to reuse the connection. The timer bounds how long.
function endUnreadBody(req: IncomingMessage, res: ServerResponse, timeoutMs: number): void {
  res.once('finish', () => {
    if (req.complete) return;
    const timer = setTimeout(() => req.socket.destroy(), timeoutMs);
    req.once('close', () => clearTimeout(timer));
  });
}

// A request id of the client is kept if its characters are safe in a log.
function setCommonHeaders(req: IncomingMessage, res: ServerResponse, path: string): void {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  req.headers['x-request-id'] = id;
  delete req.headers['x-correlation-id'];
  res.setHeader('X-Request-Id', id);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  if (isConsole(path)) return; // the only paths with a cookie: pages of other origins read nothing there
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader(
    'Access-Control-Expose-Headers',
    'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, X-Error-Code, Content-Disposition, Content-Location, Expires',
  );
}

function answerOptions(req: IncomingMessage, res: ServerResponse): void {
  const path = pathOf(req);
  const methods = methodsOf(path);
  if (methods.length === 0) {
    sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
    return;
  }
  const asked = req.headers['access-control-request-headers'];
  res.setHeader('Allow', methods.join(', '));
  if (isConsole(path)) return void res.writeHead(204).end();
  res.setHeader('Access-Control-Allow-Methods', methods.join(', '));
  if (typeof asked === 'string' && /^[\w ,-]{1,512}$/.test(asked))
    res.setHeader('Access-Control-Allow-Headers', asked);
  res.setHeader('Access-Control-Max-Age', corsMaxAgeSeconds);
  res.writeHead(204).end();
}

/** Answers a request without a route: 405 if the path exists, else 404, to a browser with the page of the console. It counts as a request without a credential. */
async function answerUnrouted(
  pipeline: Pipeline,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<void> {
  const window = await pipeline.windows.rest.hit(pipeline.addressOf(req), Date.now());
  setWindow(res, window);
  const methods = methodsOf(path);
  if (window.allowed && methods.length === 0 && isPageOfConsole(req, path)) {
    sendConsolePage(res, 404);
    return;
  }
  if (methods.length > 0) res.setHeader('Allow', methods.join(', '));
  const failure = methods.length > 0 ? new ServiceError('METHOD_NOT_ALLOWED') : routeNotFound(path);
  sendFailure(res, failureToSend(window.allowed ? failure : limited(res, window)));
}

// The prefix is forgotten, or a provider in the address of a webhook has its title.
function routeNotFound(path: string): ServiceError {
  const own = path.replace(/^(?:\/api)?(?:\/v1)?(?=\/)/, apiPrefix);
  const meant = own.split('/').map(providerMeant).join('/');
  return new ServiceError(
    'ROUTE_NOT_FOUND',
    methodsOf(meant).length > 0 ? `No such route. The API has ${meant}.` : undefined,
  );
}

// A browser shows the console, which says that there is no such page.
function isPageOfConsole({ method, headers }: IncomingMessage, path: string): boolean {
  const isPage = /^\/console\/(?!api\/|assets\/)/.test(path);
  return method === 'GET' && isPage && /\btext\/html\b/.test(headers.accept ?? '');
}

function isConsole(path: string): boolean {
  return /^\/console(\/|$)/.test(path);
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? '/').split('?')[0] ?? '/';
}

// Answers bytes that are not HTTP; there is no request object, only a socket.
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const code = tooLong ? 'HEADERS_TOO_LARGE' : 'MALFORMED_REQUEST';
  const body = `${JSON.stringify({ detail: errorTable[code].detail, code })}\n`;
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nX-Error-Code: ${code}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A route as moleculer-web holds it. */
interface Alias {
  readonly method: string;
  readonly fullPath: string;
  /** The parameters of a path; false if it is not of this route. */
  match(path: string): Record<string, string> | false;
  handler(req: IncomingRequest, res: ServerResponse, next: Next): void;
}

/** The parts of moleculer-web that remain in use. */
interface Gateway {
  /** In the order in which they take precedence. */
  readonly aliases: readonly Alias[];
  parseQueryString(req: IncomingRequest): { readonly url: string; readonly query: Record<string, string> };
  errorHandler(req: IncomingRequest, res: ServerResponse, error: unknown): void;
}

/**
 * Runs the handler of a request's route, or calls `next`. The handler of moleculer-web matches one route after the other, calls an
 * action of its own, merges parameters and formats the route for a log: 16 % of the CPU of a small read.
 */
export function httpHandler(
  this: Service & Gateway,
  req: IncomingRequest,
  res: ServerResponse,
  next: Next,
): void {
  const fail = (error: unknown) => this.errorHandler(req, res, error);
  try {
    const { url, query } = this.parseQueryString(req);
    const path = url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url;
    const found = routeOf(this.aliases, String(req.method), path);
    if (found === null) next();
    else {
      req.$ctx = new Context(this.broker);
      req.$ctx.requestID = String(req.headers['x-request-id']);
      req.query = query;
      req.$params = { ...query, ...found.params };
      found.alias.handler.call(this, req, res, fail);
    }
  } catch (error) {
    fail(error);
  }
}

function routeOf(aliases: readonly Alias[], method: string, path: string) {
  const segments = path.toLowerCase().split('/');
  for (const { alias, fixed } of indexOf(aliases).get(`${method} ${segments.length}`) ?? []) {
    if (!fixed.every(([at, text]) => segments[at] === text)) continue;
    const params = alias.match(path);
    if (params !== false) return { alias, params };
  }
  return null;
}

interface Candidate {
  readonly alias: Alias;
  /** The segments that are not parameters, with their position. */
  readonly fixed: readonly (readonly [at: number, text: string])[];
}

type Index = ReadonlyMap<string, readonly Candidate[]>;
const indexes = new WeakMap<readonly Alias[], Index>();

/** Routes by their method and number of segments, in their order. moleculer-web adds none after its start. */
function indexOf(aliases: readonly Alias[]): Index {
  const known = indexes.get(aliases);
  if (known !== undefined) return known;
  const index = new Map<string, Candidate[]>();
  for (const alias of aliases) {
    const segments = alias.fullPath.toLowerCase().split('/');
    const fixed = [...segments.entries()].filter(([, text]) => !text.startsWith(':'));
    const key = `${alias.method} ${segments.length}`;
    index.set(key, [...(index.get(key) ?? []), { alias, fixed }]);
  }
  indexes.set(aliases, index);
  return index;
}

/** An unused connection stays open for four times DRAIN_MS: 4 s, as long as Node's fetch keeps it. */
const unusedTimes = 4;
const sweepEveryMs = 50;
const inFlightLimitMs = 5500;

/**
 * Ends a server under load. During the drain, every answer closes its connection, so that clients connect to another
 * gateway, and /ready reports the shutdown to load balancers. After `drainMs` no new connection is accepted. A connection
 * that was not used since the drain began stays open for one more request, and is closed if none arrives in four times
 * `drainMs`. Closing it earlier could cut off a request that is being sent.
 */
export async function drain(server: Server, drainMs: number): Promise<void> {
  const unusedUntil = performance.now() + unusedTimes * drainMs;
  const cutAt = performance.now() + inFlightLimitMs;
  server.prependListener('request', (_, res: ServerResponse) => res.setHeader('Connection', 'close'));
  await sleep(drainMs);
  await end(server, unusedUntil, cutAt);
}

/** Ends a server at once: requests in flight are answered, unused connections closed. */
export function close(server: Server): Promise<void> {
  return end(server, performance.now(), performance.now() + inFlightLimitMs);
}

// Requests in flight are answered within `inFlightLimitMs`: an export may take an hour, and an upload may never end.
function end(server: Server, unusedUntil: number, cutAt: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      const now = performance.now();
      if (now >= unusedUntil) server.closeIdleConnections();
      if (now >= cutAt) server.closeAllConnections();
    }, sweepEveryMs);
    // `close` of an HTTP server closes unused connections; the inherited `close` only stops accepting new ones.
    Listener.prototype.close.call(server, () => {
      clearInterval(sweep);
      server.close(); // ends the remaining timer
      resolve();
    });
    if (performance.now() >= unusedUntil) server.closeIdleConnections();
  });
}
