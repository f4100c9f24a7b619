import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import { failureToSend, sendFailure, setWindow } from './answer.ts';
import { webhookLimitBytes } from './body-bounds.ts';
import { allowedMs } from './body-deadline.ts';
import { methodsOf } from './endpoints.ts';
import { type Edge, limited } from './exchange.ts';
import { markHead } from './head.ts';

type Next = (error?: unknown) => void;
/** moleculer-web as a middleware: it finds the route, or calls `next`. */
export type Router = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown;

const corsMaxAgeSeconds = 86_400;
const headersTimeoutMs = 66_000;

/**
 * The HTTP server in front of the router: what every answer has (request id, security headers), HEAD and OPTIONS,
 * unknown routes and wrong methods. Credentials travel in headers only, never in cookies, so any web page's
 * origin may call: it can send nothing that its user did not give it.
 */
export function createFront(
  edge: Edge,
  router: Router,
  watch: (req: IncomingMessage, res: ServerResponse) => void,
): Server {
  const server = createServer((req, res) => {
    watch(req, res);
    dress(req, res);
    endUnreadBody(req, res, edge.config.BODY_TIMEOUT_SECONDS * 1000);
    setWindow(res, edge.windows.rest.peek(edge.addressOf(req), Date.now())); // until another one counts
    edge.webhooks.readSecret(req);
    if (req.method === 'OPTIONS') {
      answerOptions(req, res);
      return;
    }
    if (req.method === 'HEAD') {
      markHead(res);
      req.method = 'GET'; // node leaves the body out: it noted HEAD before
    }
    const path = pathOf(req); // the router strips its prefix from req.url
    router(req, res, () => answerUnrouted(edge, req, res, path));
  });
  server.on('clientError', answerUnreadable);
  server.keepAliveTimeout = 65_000; // longer than a load balancer's, which must be the one that closes
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs(edge.config);
  return server;
}

// A backstop: bodies that are read have time-outs of their own (body-deadline.ts).
function requestTimeoutMs({ BODY_TIMEOUT_SECONDS }: Config): number {
  return headersTimeoutMs + allowedMs(BODY_TIMEOUT_SECONDS * 1000, webhookLimitBytes);
}

// Node reads the rest of a body that nobody wanted, so that the connection can be used again: not for ever.
function endUnreadBody(req: IncomingMessage, res: ServerResponse, timeoutMs: number): void {
  res.once('finish', () => {
    if (req.complete) return;
    const timer = setTimeout(() => req.socket.destroy(), timeoutMs);
    req.once('close', () => clearTimeout(timer));
  });
}

// A request id from outside is kept when it is harmless in a log.
function dress(req: IncomingMessage, res: ServerResponse): void {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  req.headers['x-request-id'] = id;
  delete req.headers['x-correlation-id'];
  res.setHeader('X-Request-Id', id);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader(
    'Access-Control-Expose-Headers',
    'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Content-Disposition',
  );
}

function answerOptions(req: IncomingMessage, res: ServerResponse): void {
  const methods = methodsOf(pathOf(req));
  if (methods.length === 0) {
    sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
    return;
  }
  const asked = req.headers['access-control-request-headers'];
  res.setHeader('Allow', methods.join(', '));
  res.setHeader('Access-Control-Allow-Methods', methods.join(', '));
  if (typeof asked === 'string' && /^[\w ,-]{1,512}$/.test(asked))
    res.setHeader('Access-Control-Allow-Headers', asked);
  res.setHeader('Access-Control-Max-Age', corsMaxAgeSeconds);
  res.writeHead(204).end();
}

/** Answers what no route took: 405 where the path is known, else 404; counted like any stranger's request. */
function answerUnrouted(edge: Edge, req: IncomingMessage, res: ServerResponse, path: string): void {
  const window = edge.windows.rest.hit(edge.addressOf(req), Date.now());
  setWindow(res, window);
  const methods = methodsOf(path);
  if (methods.length > 0) res.setHeader('Allow', methods.join(', '));
  const code = methods.length > 0 ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND';
  sendFailure(res, failureToSend(window.allowed ? new ServiceError(code) : limited(res, window)));
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? '/').split('?')[0] ?? '/';
}

// Bytes that are no HTTP at all: there is no request to answer, only a socket.
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({
    detail: tooLong ? 'The headers are too large.' : 'The request cannot be read.',
  });
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  );
}
