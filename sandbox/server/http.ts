import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { plainMessage } from '../../domain/plain-message.ts';

/** A complete request. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Fields of a form body; empty for other bodies. */
  readonly form: URLSearchParams;
  /** The path parameters of the route. */
  readonly params: Readonly<Record<string, string>>;
}

/** An answer: `json`, `html`, `bytes`, or only a status. `cut` cuts it off in the middle. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly html?: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly cut?: boolean;
}

/** One endpoint. The `:name` parts of the path become params, and `*` at its end is any path. `faults` names the group of faults that apply to it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly faults?: 'api' | 'token' | 'callback';
  readonly handle: (request: HttpRequest) => Reply | Promise<Reply>;
}

/** A route. Without `faults`, no fault applies to it. */
export function route(
  method: Route['method'],
  path: string,
  handle: Route['handle'],
  faults?: Route['faults'],
): Route {
  return { method, path, handle, ...(faults === undefined ? {} : { faults }) };
}

const longestBody = 1024 * 1024;

/** Reads a request. @throws Error for a body over 1 MiB */
export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const url = new URL(incoming.url ?? '/', 'http://sandbox');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > longestBody) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const isForm = /^application\/x-www-form-urlencoded/i.test(incoming.headers['content-type'] ?? '');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    text,
    form: new URLSearchParams(isForm ? text : ''),
    params: {},
  };
}

/** The route of a request with its path parameters; a status if there is none. */
export function routeOf<R extends Route>(
  routes: readonly R[],
  request: HttpRequest,
): { route: R; request: HttpRequest } | 404 | 405 {
  const here = routes.flatMap((route) => {
    const params = paramsOf(route.path, request.path);
    return params === null ? [] : [{ route, request: { ...request, params } }];
  });
  if (here.length === 0) return 404;
  return here.find(({ route }) => route.method === request.method) ?? 405;
}

function paramsOf(pattern: string, path: string): Record<string, string> | null {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? {} : null;
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':') && text !== '') params[part.slice(1)] = decoded(text);
    else if (part !== text) return null;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Sends an answer. */
export function writeReply(response: ServerResponse, reply: Reply): void {
  const { status, headers = {}, json, html, text, bytes } = reply;
  const body = Buffer.from(bytes ?? (json === undefined ? (html ?? text ?? '') : JSON.stringify(json)));
  const isHtml = html !== undefined;
  const textType =
    json !== undefined ? 'application/json' : isHtml ? 'text/html; charset=utf-8' : 'text/plain';
  const type = bytes === undefined ? textType : 'application/octet-stream';
  response.writeHead(status, {
    ...(body.length === 0 ? {} : { 'Content-Type': type }),
    ...(isHtml ? pageHeaders : {}),
    ...(reply.cut ? {} : { 'Content-Length': String(body.length) }),
    ...headers,
  });
  if (!reply.cut) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

const pageHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** A redirect that a browser follows with GET. */
export function redirect(location: string): Reply {
  return { status: 303, headers: { Location: location } };
}

/** The token of an Authorization header; null if there is none. */
export function bearerOf({ headers }: HttpRequest): string | null {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** 200 with a value. */
export function ok(json: unknown): Reply {
  return { status: 200, json };
}

/** An error of the control routes. */
export function refused(detail: string, status = 422): Reply {
  return { status, json: { detail } };
}

/** Serves a request with its JSON body, or refuses it. Media types that a page of another site can send are refused. */
export function withBody<T>(
  schema: z.ZodType<T>,
  { text, headers }: HttpRequest,
  use: (body: T) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  if (!/^application\/json/i.test(headers['content-type'] ?? ''))
    return refused('The body must be JSON.', 415);
  const read = schema.safeParse(jsonOrNull(text || '{}'), { error: plainMessage });
  if (read.success) return use(read.data);
  return refused(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}
