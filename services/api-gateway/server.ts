import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config.ts';
import { mostFileBytes } from '../../contracts/file-import.ts';
import { apiPrefix } from '../../domain/contract.ts';
import { errorTable, ServiceError } from '../../domain/errors.ts';
import { providerMeant } from '../../providers/all.ts';
import { hasBody } from './body/body.ts';
import { allowedMs } from './body/read-bytes.ts';
import { sendConsolePage } from './console/console-files.ts';
import { methodsOf } from './endpoints.ts';
import { failureToSend, markFhir, markHead, sendFailure, setWindow } from './pipeline/answer.ts';
import { limited, type Pipeline } from './pipeline/exchange.ts';

type Next = (error?: unknown) => void;
/** moleculer-web as a middleware: it runs the handler of a route, or calls `next`. */
export type Router = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown;

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

// An upper bound; bodies that are read have their own time-outs (body-deadline.ts).
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
