import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { DestinationKind } from '../../../contracts/destinations/schemas.ts';
import type { TargetErrorCode } from '../../../domain/destinations/target-errors.ts';

/** A host of a destination that does harm, and the failure that it must have. */
export interface Attack {
  readonly kind: DestinationKind;
  readonly name: string;
  readonly code: TargetErrorCode;
  readonly talk: (socket: Socket) => Promise<void> | void;
}

/** A host with its settings. */
export interface HostileHost extends Attack {
  readonly host: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its open connections. */
  open(): number;
  /** The most bytes that one connection took of it, or that wait in its buffers. */
  taken(): number;
}

/** What ends a host after a test or a measurement. */
type OnEnd = (end: () => void) => void;

/** Starts the hosts of attacks on this machine. */
export function startHostileHosts(onEnd: OnEnd, list: readonly Attack[] = attacks): Promise<HostileHost[]> {
  return Promise.all(list.map((attack) => startHost(onEnd, attack)));
}

async function startHost(onEnd: OnEnd, attack: Attack): Promise<HostileHost> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      taken = Math.max(taken, socket.bytesWritten);
    });
    void (async () => attack.talk(socket))().catch(() => socket.destroy());
    // A socket that is not read does not see its end.
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = portOf(server);
  return {
    ...{ ...attack, host: `127.0.0.1:${port}`, settings: settingsOf[attack.kind](port) },
    open: () => sockets.size,
    taken: () => Math.max(taken, ...[...sockets].map(({ bytesWritten }) => bytesWritten)),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return address.port;
}

const settingsOf = {
  jetstream: (port: number) => ({ servers: [`127.0.0.1:${port}`], stream: 'HEALTH', tls: 'off' }),
  postgres: (port: number) => ({
    ...{ host: '127.0.0.1', port, database: 'copy', user: 'copy', password: 'copy', tls: 'off' },
  }),
  s3: (port: number) => ({
    ...{ endpoint: `http://127.0.0.1:${port}`, bucket: 'health-data' },
    ...{ access_key_id: 'key', secret_access_key: 'secret', interval_seconds: 1 },
  }),
} as const;

const floodChunk = 'a'.repeat(64 * 1024);

/** Sends without an end, as fast as it is read. */
async function flood(socket: Socket, chunk: string | Buffer = floodChunk): Promise<void> {
  while (!socket.destroyed) if (!socket.write(chunk)) await drained(socket);
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });
}

/** Sends a byte now and then. */
async function drip(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return;
    socket.write(letter);
    await sleep(slowMs);
  }
}

/** How slow a slow host is: faster than a request may take. */
const slowMs = 4000;

/** 100 MB that have 100 kB on the wire. */
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));

// NATS

const greeting = `INFO ${JSON.stringify({ server_id: 'N', version: '2.10.0', proto: 1, headers: true, max_payload: 1_048_576 })}\r\n`;

/** Greets, answers PING, and passes the requests of JetStream on with the address of the answer. */
function afterGreeting(onRequest: (socket: Socket, answer: (text: string) => void) => Promise<void> | void) {
  return (socket: Socket) => {
    socket.write(greeting);
    let sid = '1';
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (text.includes('PING\r\n')) socket.write('PONG\r\n');
      sid = /SUB _INBOX\S+ (\S+)/.exec(text)?.[1] ?? sid;
      const [, inbox] = /PUB \$JS\S+ (_INBOX\S+)/.exec(text) ?? [];
      if (inbox !== undefined)
        void onRequest(socket, (body) =>
          socket.write(`MSG ${inbox} ${sid} ${Buffer.byteLength(body)}\r\n${body}\r\n`),
        );
    });
  };
}

// PostgreSQL

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int16 = (n: number) => Buffer.from([n >> 8, n & 255]);
const int32 = (n: number) => Buffer.concat([int16(n >>> 16), int16(n & 0xffff)]);
const cString = (text: string) => Buffer.from(`${text}\0`);
const ready = message('Z', Buffer.from('I'));
const complete = message('C', cString('SELECT 1'));
const columns = (names: readonly string[]) =>
  message(
    'T',
    Buffer.concat([
      int16(names.length),
      ...names.map((name) =>
        Buffer.concat([cString(name), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
      ),
    ]),
  );
const row = (values: readonly string[]) =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.map((value) => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)])),
    ]),
  );

/** Lets everybody in, and passes the texts of statements on. */
function afterLogIn(
  onStatement: (socket: Socket, text: string, parsed: readonly Buffer[]) => Promise<void> | void,
) {
  return (socket: Socket) => {
    let isIn = false;
    socket.on('data', (data) => {
      if (!isIn) {
        isIn = true;
        socket.write(Buffer.concat([message('R', int32(0)), ready]));
        return;
      }
      const text = data.toString('latin1');
      const extended = [message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0))];
      if (text.startsWith('Q')) void onStatement(socket, text, []);
      if (text.startsWith('P')) void onStatement(socket, text, extended);
    });
  };
}

const notice = message('N', Buffer.concat([cString(`M${floodChunk}`), Buffer.from([0])]));

// S3

const page = (keys: readonly string[], token: string | null) =>
  `<ListBucketResult><IsTruncated>${token !== null}</IsTruncated>${
    token === null ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
  }${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`;

/** Answers each request of a kept connection. */
function answering(onRequest: (socket: Socket, head: string) => Promise<void> | void) {
  return (socket: Socket) => {
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (/^(GET|PUT|POST|DELETE) /.test(text)) void onRequest(socket, text);
    });
  };
}

function answer(socket: Socket, body: string | Buffer, headers = ''): void {
  const length = Buffer.byteLength(body);
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n${headers}\r\n`);
  socket.write(body);
}

let pages = 0;
const folderOf = (head: string) => (head.includes('manifests') ? 'manifests/' : 'type=');
const manyKeys = (folder: string, n: number) => {
  pages += 1;
  return Array.from({ length: n }, (_, at) => `${folder}x/date=2026-03-01/part-${pages}-${at}.parquet`);
};

/** One host of each kind that is slow, endless, lying, silent and huge, and those with other ways. */
const attacks: readonly Attack[] = [
  { kind: 'jetstream', name: 'silent', code: 'unreachable', talk: () => undefined },
  { kind: 'jetstream', name: 'slow', code: 'unreachable', talk: (socket) => drip(socket, greeting) },
  {
    ...{ kind: 'jetstream', name: 'endless INFO', code: 'answer_too_large' },
    async talk(socket) {
      socket.write('INFO {"x":"');
      await flood(socket);
    },
  },
  {
    ...{ kind: 'jetstream', name: 'message of 4 GB', code: 'answer_too_large' },
    talk: afterGreeting(async (socket) => {
      socket.write('MSG a 1 4294967295\r\n');
      await flood(socket);
    }),
  },
  {
    ...{ kind: 'jetstream', name: 'endless PING', code: 'answer_too_large' },
    talk: afterGreeting((socket) => flood(socket, 'PING\r\n'.repeat(10_000))),
  },
  {
    ...{ kind: 'jetstream', name: 'lying stream', code: 'answer_invalid' },
    talk: afterGreeting((_, send) => send('[]')),
  },
  { kind: 'postgres', name: 'silent', code: 'unreachable', talk: () => undefined },
  {
    ...{ kind: 'postgres', name: 'slow', code: 'too_slow' },
    talk: afterLogIn(async (socket, _, parsed) => {
      await sleep(slowMs);
      socket.write(Buffer.concat([...parsed, complete, ready]));
    }),
  },
  {
    ...{ kind: 'postgres', name: 'endless rows', code: 'answer_too_large' },
    talk: afterLogIn(async (socket) => {
      socket.write(columns(['a']));
      await flood(socket, Buffer.concat(Array.from({ length: 5000 }, () => row(['1']))));
    }),
  },
  {
    ...{ kind: 'postgres', name: 'message of 2 GB', code: 'answer_too_large' },
    talk: afterLogIn(async (socket) => {
      socket.write(Buffer.from('D\x7f\xff\xff\xff', 'latin1'));
      await flood(socket);
    }),
  },
  {
    ...{ kind: 'postgres', name: 'endless notices', code: 'answer_too_large' },
    talk: afterLogIn((socket) => flood(socket, notice)),
  },
  {
    ...{ kind: 'postgres', name: 'many rows', code: 'answer_too_large' },
    talk: afterLogIn((socket, _, parsed) => {
      const rows = Array.from({ length: 1000 }, () => row(['1']));
      socket.write(Buffer.concat([...parsed, columns(['a']), ...rows, complete, ready]));
    }),
  },
  {
    ...{ kind: 'postgres', name: 'lying position', code: 'schema_changed' },
    talk: afterLogIn((socket, text, parsed) => {
      const isPosition = text.includes('select version');
      const names = ['version', 'position', 'snapshot'];
      const rows = isPosition ? [columns(names), row(['9'.repeat(18), '9'.repeat(30), '{}'])] : [];
      socket.write(Buffer.concat([...parsed, ...rows, complete, ready]));
    }),
  },
  { kind: 's3', name: 'silent', code: 'timed_out', talk: () => undefined },
  {
    ...{ kind: 's3', name: 'slow', code: 'too_slow' },
    talk: answering(async (socket, head) => {
      await sleep(slowMs);
      answer(socket, page(manyKeys(folderOf(head), 1), `token-${pages}`));
    }),
  },
  {
    ...{ kind: 's3', name: 'endless list', code: 'list_too_long' },
    talk: answering((socket, head) => answer(socket, page(manyKeys(folderOf(head), 1000), `token-${pages}`))),
  },
  {
    ...{ kind: 's3', name: 'empty pages without an end', code: 'list_too_long' },
    talk: answering((socket) => {
      pages += 1;
      answer(socket, page([], `token-${pages}`));
    }),
  },
  {
    ...{ kind: 's3', name: 'the same page again', code: 'answer_invalid' },
    talk: answering((socket, head) => answer(socket, page([`${folderOf(head)}a`], 'again'))),
  },
  {
    ...{ kind: 's3', name: 'a page of too many keys', code: 'answer_invalid' },
    talk: answering((socket, head) => answer(socket, page(manyKeys(folderOf(head), 2000), null))),
  },
  {
    ...{ kind: 's3', name: 'keys that are none', code: 'answer_invalid' },
    talk: answering((socket, head) => answer(socket, page([`${folderOf(head)}&#0;&#x110000;`], null))),
  },
  {
    ...{ kind: 's3', name: 'endless body', code: 'answer_too_large' },
    talk: answering(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n<ListBucketResult>');
      await flood(socket);
    }),
  },
  {
    ...{ kind: 's3', name: 'endless headers', code: 'answer_invalid' },
    talk: answering(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      await flood(socket, 'X-A: b\r\n'.repeat(1000));
    }),
  },
  {
    ...{ kind: 's3', name: 'a body of 4 GB that does not come', code: 'timed_out' },
    talk: answering(
      (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4294967296\r\n\r\n<ListBucketResult>'),
    ),
  },
  {
    ...{ kind: 's3', name: 'a packed body', code: 'answer_invalid' },
    talk: answering((socket) => answer(socket, bomb, 'Content-Encoding: gzip\r\n')),
  },
];
