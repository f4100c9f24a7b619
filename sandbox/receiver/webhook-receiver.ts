// A receiver of the product's own webhooks, as an application has one. It verifies the messages, keeps the newest in
// memory, and streams them to listeners that present its token: bodies may contain health data.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { type LogLimits, messageLog } from './message-log.ts';
import { messageStream } from './message-stream.ts';

/** How a receiver is started. */
export interface ReceiverOptions {
  /** The wanted port on 127.0.0.1; another one is taken if it is in use. */
  readonly port: number;
  /** The path that receives messages, without the slash. */
  readonly path: string;
  /** What listeners present as a bearer token. */
  readonly token: string;
  /** The secret of the endpoint. Null: not known yet, so messages are refused. */
  readonly secret: string | null;
  readonly limits?: LogLimits;
}

/** A running receiver. */
export interface WebhookReceiver {
  readonly origin: string;
  /** The address that receives messages. */
  readonly url: string;
  /** The address of the stream. */
  readonly messagesUrl: string;
  /** Verifies later messages with another secret. */
  useSecret(secret: string): void;
  stop(): Promise<void>;
}

/** The product limits a body with a record to 20 kB. */
const mostBodyBytes = 256 * 1024;
const mostConnections = 64;
const streamPath = '/messages';
const passedHeaders = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
/** The sender keeps a connection for 10 s; this side must not close it first. */
const keepAliveTimeout = 30_000;

/** Starts a receiver on loopback. */
export async function startWebhookReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const server = createServer({ requestTimeout: 15_000, keepAliveTimeout });
  server.maxConnections = mostConnections;
  const origin = `http://127.0.0.1:${await listen(server, options.port)}`;
  const log = messageLog(options.limits);
  const stream = messageStream(log);
  let secret = options.secret;
  const receive: Handler = async (request, response) => {
    if (secret === null) return answer(response, 503, { 'Retry-After': '1' });
    const body = await readBody(request);
    if (body === null) return answer(response, 413, { Connection: 'close' });
    const headers = headersOf(request);
    const isVerified = verifies(secret, body, headers);
    if (isVerified) log.add({ at: new Date().toISOString(), headers, body });
    else stream.noteRefusal();
    answer(response, isVerified ? 204 : 401);
  };
  const show: Handler = async (request, response) => {
    if (holds(request, options.token)) stream.serve(request, response);
    else answer(response, 401, { 'WWW-Authenticate': 'Bearer' });
  };
  const routes: Routes = { [`POST /${options.path}`]: receive, [`GET ${streamPath}`]: show };
  server.on('request', (request, response) => {
    void serve(routes, request, response).catch(() => request.destroy()); // the sender hung up
  });
  return {
    origin,
    url: `${origin}/${options.path}`,
    messagesUrl: `${origin}${streamPath}`,
    useSecret(changed) {
      secret = changed;
    },
    stop() {
      stream.stop();
      return close(server);
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type Routes = Readonly<Record<string, Handler>>;

// Other host names are refused, because DNS rebinding would let any web page use this address. No answer permits
// another origin to read it.
async function serve(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) return answer(response, 403);
  const [path = '/'] = (request.url ?? '/').split('?');
  const handler = routes[`${request.method} ${path}`];
  if (handler !== undefined) return handler(request, response);
  const other = Object.keys(routes).find((route) => route.endsWith(` ${path}`));
  if (other === undefined) return answer(response, 404);
  answer(response, 405, { Allow: other.split(' ')[0] ?? '' });
}

function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...headers, 'Cache-Control': 'no-store' }).end();
}

/** Null: it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(Buffer.from(chunk));
    read += chunk.length;
    if (read > mostBodyBytes) return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const found = passedHeaders.map((name) => [name, z.string().catch('').parse(headers[name])]);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

function holds({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const Address = z.object({ port: z.int() });

async function listen(server: Server, port: number): Promise<number> {
  await tryPort(server, port).catch(() => tryPort(server, 0));
  return Address.parse(server.address()).port;
}

function tryPort(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
