import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'moleculer';
import { apiPrefix } from '../../../domain/contract.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import {
  type ErrorCode,
  errorTable,
  type FieldError,
  isErrorCode,
  ServiceError,
} from '../../../domain/errors.ts';
import { fhirStatus, outcomeOf } from '../../../domain/fhir/outcome.ts';
import { BrowserAnswer } from '../../../domain/wire.ts';
import { escaped } from '../rules/html.ts';
import type { Window } from './windows.ts';

/** The answer to a failed request. */
export interface Failure {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** Sends a JSON answer; `null` is the JSON null, never an empty body. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent) return;
  const json = JSON.stringify(body ?? null);
  // A line break, for terminals. Node.js joins the head and the text anyway, so it costs no copy.
  const bytes = Buffer.byteLength(json) + 1;
  const text = `${json}\n`;
  const type = isFhir(res) ? 'application/fhir+json' : 'application/json';
  res.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': bytes });
  // The bytes of ASCII are the same in Latin-1, which Node.js copies to the socket without encoding it.
  res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Sends the error body of SPEC.md 7 with the headers that its status asks for. */
export function sendFailure(res: ServerResponse, failure: Failure): void {
  setFailureHeaders(res, failure);
  const { detail, code, errors } = failure;
  if (isFhir(res)) sendJson(res, fhirStatus(failure.status), outcomeOf(failure));
  else sendJson(res, failure.status, errors === undefined ? { detail, code } : { detail, code, errors });
}

/** Sets the headers that the status of a failure asks for. */
export function setFailureHeaders(res: ServerResponse, failure: Failure): void {
  if (failure.code === 'UNAUTHENTICATED' && !res.headersSent) res.setHeader('WWW-Authenticate', 'Bearer');
  // The connection is closed, because the rest of a refused body would be read as the next request.
  if ((failure.status === 413 || failure.status === 408) && !res.headersSent)
    res.setHeader('Connection', 'close');
  if (!res.headersSent) res.setHeader('X-Error-Code', failure.code);
}

/** 503 with Retry-After for a body that exceeds a capacity. The connection is closed, because the body is not read. */
export function unavailableFor(res: ServerResponse, seconds: number, detail: string): ServiceError {
  res.setHeader('Retry-After', seconds);
  res.setHeader('Connection', 'close');
  return new ServiceError('SERVICE_UNAVAILABLE', detail);
}

/** Sets the three rate-limit headers of an answer. */
export function setWindow(res: ServerResponse, window: Omit<Window, 'allowed'>): void {
  res.setHeader('X-RateLimit-Limit', window.limit);
  res.setHeader('X-RateLimit-Remaining', window.remaining);
  res.setHeader('X-RateLimit-Reset', window.reset);
}

/** Failures of Moleculer by type. A type that is neither here nor in the error table is INTERNAL. */
const busFailures: Readonly<Record<string, ErrorCode>> = {
  SERVICE_NOT_FOUND: 'SERVICE_UNAVAILABLE',
  SERVICE_NOT_AVAILABLE: 'SERVICE_UNAVAILABLE',
  REQUEST_TIMEOUT: 'SERVICE_TIMEOUT',
  QUEUE_FULL: 'SERVICE_UNAVAILABLE',
  REQUEST_REJECTED: 'SERVICE_UNAVAILABLE',
  BAD_GATEWAY: 'SERVICE_UNAVAILABLE',
};

/** Failures of the router, by type. */
const routerFailures: Readonly<Record<string, ErrorCode>> = { UNABLE_DECODE_PARAM: 'MALFORMED_REQUEST' };

/** The answer to a thrown value. It contains no stack, and no text of a failure that is not in the error table. */
export function failureToSend(error: unknown): Failure {
  const read = (name: string) => fieldOf(error, name);
  const type = read('type');
  if (isErrorCode(type)) return known(type, read('message'), read('data'));
  if (typeof type !== 'string')
    return error instanceof URIError ? plain('MALFORMED_REQUEST') : plain(busByName(read('name')));
  return plain(busFailures[type] ?? routerFailures[type] ?? busByName(read('name')));
}

function busByName(name: unknown): ErrorCode {
  return name === 'BrokerDisconnectedError' || name === 'ServiceNotAvailableError'
    ? 'SERVICE_UNAVAILABLE'
    : 'INTERNAL';
}

function plain(code: ErrorCode): Failure {
  return { code, status: errorTable[code].status, detail: errorTable[code].detail };
}

function known(code: ErrorCode, message: unknown, data: unknown): Failure {
  const detail = typeof message === 'string' && message !== '' ? message : errorTable[code].detail;
  const errors = typeof data === 'object' && data !== null ? Reflect.get(data, 'errors') : undefined;
  return { code, status: errorTable[code].status, detail, ...(Array.isArray(errors) ? { errors } : {}) };
}

const heads = new WeakSet<ServerResponse>();

/** Marks an answer as that of a HEAD request, which is routed as a GET. */
export function markHead(res: ServerResponse): void {
  heads.add(res);
}

/** Whether an answer is to a HEAD request: Node.js sends its headers only. */
export function isHead(res: ServerResponse): boolean {
  return heads.has(res);
}

const answers = new WeakSet<ServerResponse>();
const paths = new RegExp(`${apiPrefix}/fhir(/|$)`);

/** Marks an answer below the address of the FHIR API: it is a resource, also if no route has the path. */
export function markFhir(res: ServerResponse, path: string): void {
  if (paths.test(path)) answers.add(res);
}

/** Whether an answer is of the FHIR API. */
function isFhir(res: ServerResponse): boolean {
  return answers.has(res);
}

/** Whether a client wants unknown parameters to be ignored: `Prefer: handling=lenient`. */
export function isLenient({ headers }: IncomingMessage): boolean {
  return /(^|[,;\s])handling=lenient($|[,;\s])/.test(String(headers.prefer ?? ''));
}

// The name and stack frames of an error. Messages are not logged, because a database message may quote a row. A failure of
// the error table needs no frames.
function failureFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  if (isErrorCode(Reflect.get(error, 'type'))) return {};
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, frames: frames.slice(0, 6).map((line) => line.trim()) };
}

/** Logs a failed request: an internal failure (500) as an error, an unavailable or slow service as a warning. */
export function noteFailure(
  logger: Logger,
  req: IncomingMessage,
  error: unknown,
  { status, code }: Failure,
): void {
  if (status < 500 || status === 501) return;
  const entry = { ...failureFields(error), code, request_id: req.headers['x-request-id'] };
  if (status === 500) logger.error('request.failed', entry);
  else logger.warn('request.failed', entry);
}

/**
 * Answers for a browser: a redirect, or a small page of plain text. The requested address may contain a secret, so no
 * referrer is sent, and the page loads no resources.
 */
const style =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.5rem;color:#1c2330}h1{font-size:1.5rem}';
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends a BrowserAnswer. */
export function sendToBrowser(res: ServerResponse, result: unknown): void {
  const answer = BrowserAnswer.parse(result);
  res.setHeader('Referrer-Policy', 'no-referrer');
  if (answer.kind === 'page') sendPage(res, answer.status, answer.title, answer.text);
  else res.writeHead(303, { Location: answer.location, 'Content-Length': 0 }).end();
}

/** Sends a failure as a page. @throws the failure itself if the client does not accept HTML */
export function sendFailureToBrowser(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  res.setHeader('Referrer-Policy', 'no-referrer');
  if (!/\btext\/html\b/.test(req.headers.accept ?? '')) throw error;
  const { status, detail } = failureToSend(error);
  sendPage(res, status, 'The request failed', detail);
}

function sendPage(res: ServerResponse, status: number, title: string, text: string): void {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main></body>
</html>
`;
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': policy,
  });
  res.end(body);
}
