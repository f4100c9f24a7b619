import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import t from 'tap';
import { z } from 'zod';
import { WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import { type DeliveryPace, deliveryPace } from '../../../services/webhooks/rules/outcome.ts';
import { webhooksService } from '../../../services/webhooks/webhooks.service.ts';
import { createUser, joinApi, type TestApi } from '../../support/api.ts';
import { startSilentListener } from '../../support/callback-server.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { selfSigned } from '../../support/servers/self-signed.ts';
import { until } from '../../support/until.ts';
import { drips, floods, type RawReceiver, sends, startRawReceiver } from './raw-receiver.ts';

const Page = z.object({ data: z.array(WebhookMessage) });
const Made = z.object({ id: z.string(), secret: z.string() });
const lines: string[] = [];

interface HostileChoice {
  readonly pace?: Partial<DeliveryPace>;
  readonly names?: ReadonlyMap<string, readonly LookupAddress[]>;
  readonly origins?: readonly string[];
}

/** The product with hostile receivers, and the names that its webhooks service resolves. */
async function startHostile(t: Test, { pace, names = new Map(), origins = [] }: HostileChoice = {}) {
  const receiver = await startRawReceiver(t);
  const lookups: string[] = [];
  const resolve = async (name: string) => {
    lookups.push(name);
    const addresses = names.get(name);
    if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return addresses;
  };
  const service = webhooksService({ resolve, pace: { ...deliveryPace, random: () => 0.5, ...pace } });
  const api = await joinApi(t, {
    database: await freshDatabase(t),
    settings: {
      ...{ WEBHOOK_ENDPOINT_ORIGINS: [receiver.origin, ...origins].join(), LOG_LEVEL: 'trace' },
      ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '100000', CHANGE_JOIN_SECONDS: '0' },
    },
    instead: [service],
  });
  const secrets: string[] = [];
  const endpoint = async (url: string) => {
    const body = { url, event_types: ['user.created'] };
    const { id, secret } = Made.parse(await api.expect(201, '/webhook-endpoints', { body }));
    secrets.push(secret);
    return id;
  };
  return { api, receiver, lookups, secrets, endpoint };
}

/** The messages of an endpoint with their attempts, newest first. */
async function messagesOf(api: TestApi, endpoint: string): Promise<WebhookMessage[]> {
  return Page.parse(await api.expect(200, `/webhook-endpoints/${endpoint}/messages`)).data;
}

/** Waits for the first attempt of the newest message. */
async function attempted(api: TestApi, endpoint: string): Promise<WebhookMessage> {
  let message: WebhookMessage | undefined;
  await until(async () => {
    [message] = await messagesOf(api, endpoint);
    return (message?.attempts.length ?? 0) > 0;
  });
  if (message === undefined) throw new Error('no message');
  return message;
}

async function startSecure(t: Test, name: string, year?: string) {
  const certificate = selfSigned(name, year);
  let requests = 0;
  const server = createSecureServer(certificate, (_req, res) => {
    requests += 1;
    res.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `https://localhost:${port}/hook`, cert: certificate.cert, requests: () => requests };
}

t.before(() => {
  for (const level of ['log', 'trace', 'debug', 'info', 'warn', 'error'] as const)
    t.intercept(console, level, { value: (...parts: unknown[]) => lines.push(JSON.stringify(parts)) });
});

const v4 = (address: string) => [{ address, family: 4 }];
const v6 = (address: string) => [{ address, family: 6 }];
const names = new Map<string, readonly LookupAddress[]>([
  ['loopback.example', v4('127.0.0.1')],
  ['loopback6.example', v6('::1')],
  ['any.example', v4('0.0.0.0')],
  ['private.example', v4('192.168.1.1')],
  ['shared.example', v4('100.64.0.1')],
  ['link-local.example', v6('fe80::1')],
  ['metadata.example', v4('169.254.169.254')],
  ['mapped.example', v6('::ffff:127.0.0.1')],
  ['nat64.example', v6('64:ff9b::7f00:1')],
  ['unique-local.example', v6('fd00:ec2::254')],
  ['multicast.example', v4('224.0.0.1')],
  ['mixed.example', [...v6('2606:4700::1111'), ...v4('10.0.0.1')]],
  ['empty.example', []],
]);

t.test('names that resolve to addresses that are not public are not connected to', async (t) => {
  const silent = await startSilentListener(t);
  const { api, endpoint, lookups } = await startHostile(t, { names });
  const refused = new Map<string, string>();
  for (const name of [...names.keys(), 'unknown.example'])
    refused.set(await endpoint(`https://${name}:${silent.port}/hook`), name);
  t.same(lookups, [], 'a name is resolved at each connection, and not before');
  await createUser(api);
  for (const [id, name] of refused) {
    const [attempt] = (await attempted(api, id)).attempts;
    const error = name === 'unknown.example' ? 'NAME_UNKNOWN' : 'ADDRESS_REFUSED';
    t.match(attempt, { number: 1, error, status: null, response: null, duration_ms: Number }, name);
  }
  t.equal(silent.connections(), 0);
  t.same([...lookups].sort(), [...refused.values()].sort(), 'one lookup per attempt');
});

interface Case {
  readonly answer: Parameters<RawReceiver['answers']['set']>[1];
  readonly attempt: Record<string, unknown>;
  /** Bytes of the answer that are read. Default: a few buffers of 64 KiB. */
  readonly mostBytes?: number;
}

const failure = (error: string, status: number | null = null, response: unknown = null) => ({
  ...{ error, status, response },
});
const bomb = gzipSync(Buffer.alloc(50_000_000));
const beginning = 'x'.repeat(1024);

const cases = (silentPort: number): Readonly<Record<string, Case>> => ({
  'a redirect to loopback': {
    answer: sends('302 Found', 'there', [`location: http://127.0.0.1:${silentPort}/`]),
    attempt: failure('REDIRECTED', 302, 'there'),
  },
  'a redirect without a location': { answer: sends('308 Gone on'), attempt: failure('REDIRECTED', 308, '') },
  'headers without an end': {
    answer: floods('HTTP/1.1 200 OK\r\n', 'x-more: y\r\n'),
    attempt: failure('ANSWER_INVALID'),
  },
  'one header without an end': {
    answer: floods('HTTP/1.1 200 OK\r\nx-more: ', 'y'),
    attempt: failure('ANSWER_INVALID'),
  },
  'interim answers without an end': {
    answer: floods('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    attempt: failure('ANSWER_INVALID'),
  },
  'chunks without an end': {
    answer: floods('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `400\r\n${beginning}\r\n`),
    attempt: { error: null, status: 200, response: beginning },
  },
  'one chunk of 10 GB': {
    answer: floods('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2540be400\r\n', 'x'),
    attempt: { error: null, status: 200, response: beginning },
  },
  'an extension of a chunk without an end': {
    answer: floods('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'),
    attempt: failure('STATUS', 500, ''),
  },
  'trailers without an end': {
    answer: floods('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n', 'x: y\r\n'),
    attempt: failure('STATUS', 500, 'x'),
  },
  'a body of 10 GB': {
    answer: floods('HTTP/1.1 500 No\r\ncontent-length: 10000000000\r\n\r\n', 'x'),
    attempt: failure('STATUS', 500, beginning),
  },
  'a gzip of 50 MB of zeros': {
    answer: sends('200 OK', bomb, ['content-encoding: gzip', `content-length: ${bomb.length}`]),
    attempt: { error: null, status: 200, response: /^.{1,1024}$/s },
    mostBytes: bomb.length + 1000,
  },
  'an end within the head': {
    answer: (socket) => void socket.end('HTTP/1.1 200 O'),
    attempt: failure('CUT_OFF'),
  },
  'a reset before the answer': {
    answer: (socket) => void socket.resetAndDestroy(),
    attempt: failure('CUT_OFF'),
  },
  'an end within the body': {
    answer: (socket) => void socket.end('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\npart'),
    attempt: failure('STATUS', 500, 'part'),
  },
  'an upgrade': {
    answer: sends('101 Switching Protocols', 'x', ['connection: upgrade', 'upgrade: websocket']),
    attempt: failure('CUT_OFF'),
  },
  'no HTTP': {
    answer: (socket) => void socket.end('220 mail.example ESMTP\r\n'),
    attempt: failure('ANSWER_INVALID'),
  },
  'two lengths': {
    answer: sends('200 OK', 'x', ['content-length: 1', 'transfer-encoding: chunked']),
    attempt: failure('ANSWER_INVALID'),
  },
  'a carriage return in a header': {
    answer: sends('200 OK', '', ['x-a: b\rset-cookie: c']),
    attempt: failure('ANSWER_INVALID'),
  },
  'escapes of terminals, invalid UTF-8 and reversed text': {
    answer: sends('500 \x1b[2J\x07', Buffer.from('a\0\x1b[2J\x9b\r\xff\u202eb\n\tc', 'utf8')),
    attempt: failure('STATUS', 500, 'a\uFFFD\uFFFD[2J\uFFFD\uFFFD\u00FF\uFFFDb\n\tc'),
  },
  'invalid bytes only': {
    answer: sends('500 No', Buffer.alloc(5000, 0xff)),
    attempt: failure('STATUS', 500, '\uFFFD'.repeat(341)),
  },
  'a character at the limit': {
    answer: sends('500 No', `${'x'.repeat(1023)}\u00E9`),
    attempt: failure('STATUS', 500, 'x'.repeat(1023)),
  },
});

t.test('hostile answers leave a clear attempt, and few of their bytes are read', async (t) => {
  const silent = await startSilentListener(t);
  const { api, receiver, endpoint, secrets } = await startHostile(t);
  const all = Object.entries(cases(silent.port)).map(([title, one], index) => ({
    ...{ title, ...one, path: `/hook/${index}` },
  }));
  const made = new Map<string, (typeof all)[number]>();
  for (const one of all) {
    receiver.answers.set(one.path, one.answer);
    made.set(await endpoint(`${receiver.origin}${one.path}`), one);
  }
  await createUser(api);
  for (const [id, { title, attempt, path, mostBytes = 1_000_000 }] of made) {
    const [first] = (await attempted(api, id)).attempts;
    t.match(first, attempt, title);
    t.ok(Buffer.byteLength(first?.response ?? '') <= 1024, `${title}: a kB at most`);
    t.ok(receiver.readBytes(path) <= mostBytes, `${title}: ${receiver.readBytes(path)} bytes`);
  }
  t.equal(silent.connections(), 0);
  const stored = JSON.stringify([
    await api.database.query('select * from webhooks.attempt'),
    await api.database.query('select * from webhooks.message'),
    await api.database.query('select * from auth.audit_entry'),
    await api.database.query('select * from jobs.job'),
    lines,
  ]);
  t.match(stored, /webhook\.failed/, 'the log was heard');
  for (const secret of secrets) t.notOk(stored.includes(secret.slice(6)), 'no secret is stored or logged');
});

t.test('answers that do not come to an end are timed out', async (t) => {
  const { api, receiver, endpoint } = await startHostile(t, { pace: { totalMs: 1000, connectMs: 800 } });
  receiver.answers.set('/silent', () => undefined);
  receiver.answers.set('/head', drips('HTTP/1.1 200 OK\r\n', 'x-more: y\r\n'));
  receiver.answers.set('/interim', drips('HTTP/1.1 100 Continue\r\n', 'x'));
  receiver.answers.set('/body', drips('HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n', '.'));
  const made = new Map<string, string>();
  for (const path of ['/silent', '/head', '/interim', '/body'])
    made.set(path, await endpoint(`${receiver.origin}${path}`));
  await createUser(api);
  for (const path of ['/silent', '/head', '/interim']) {
    const [attempt] = (await attempted(api, made.get(path) ?? '')).attempts;
    t.match(attempt, failure('TIMED_OUT'), path);
  }
  // On a busy machine an attempt may end before the head has arrived.
  let attempt: WebhookMessage['attempts'][number] | undefined;
  await until(async () => {
    const message = await attempted(api, made.get('/body') ?? '');
    attempt = message.attempts.at(-1);
    return message.status === 'delivered';
  });
  t.match(
    attempt,
    { error: null, status: 200, response: /^\.*$/ },
    'the status of a body without an end counts',
  );
});

t.test('absurd values of Retry-After are read as a day at most', async (t) => {
  const { api, receiver, endpoint } = await startHostile(t);
  const second = 5;
  const expected: readonly (readonly [value: string, seconds: number])[] = [
    ['-5', second],
    ['0', second],
    ['1.5', second],
    ['1e9', second],
    ['soon', second],
    ['', second],
    ['\u00FF', second],
    ['Thu, 01 Jan 1970 00:00:00 GMT', second],
    ['90', 90],
    ['1000000000', 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ];
  const made = new Map<string, (typeof expected)[number]>();
  for (const [index, one] of expected.entries()) {
    receiver.answers.set(`/${index}`, sends('503 Later', '', [`retry-after: ${one[0]}`]));
    made.set(await endpoint(`${receiver.origin}/${index}`), one);
  }
  await createUser(api);
  const delays = `
    select m.endpoint_id, round(extract(epoch from m.run_at - a.at))::int as seconds
    from webhooks.message m join webhooks.attempt a on a.message_id = m.id and a.number = 1 where m.attempt = 1`;
  await Promise.all([...made.keys()].map((id) => attempted(api, id)));
  const rows = await api.database.query<{ endpoint_id: string; seconds: number }>(delays);
  for (const { endpoint_id, seconds } of rows) {
    const [value, delay] = made.get(endpoint_id) ?? ['', 0];
    t.equal(seconds, delay, value.slice(0, 40));
  }
  t.ok(rows.length > expected.length / 2, 'before their second attempt');
});

t.test('TLS that is not trusted, has expired, has another name or is missing: nothing is sent', async (t) => {
  const [good, expired, other, untrusted] = [
    await startSecure(t, 'localhost'),
    await startSecure(t, 'localhost', '21'),
    await startSecure(t, 'app.example'),
    await startSecure(t, 'localhost'),
  ];
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, good.cert, expired.cert, other.cert]);
  t.teardown(() => setDefaultCACertificates(trusted));
  const plain = await startRawReceiver(t);
  const without = plain.origin.replace('http://127.0.0.1', 'https://localhost');
  const origins = [good, expired, other, untrusted].map(({ url }) => new URL(url).origin);
  const { api, endpoint } = await startHostile(t, { origins: [...origins, without] });
  const ids: string[] = [];
  for (const url of [expired.url, other.url, untrusted.url, `${without}/hook`]) ids.push(await endpoint(url));
  const reached = await endpoint(good.url);
  await createUser(api);
  for (const id of ids) t.match((await attempted(api, id)).attempts[0], failure('TLS_FAILED'));
  t.match((await attempted(api, reached)).attempts.at(-1), { error: null, status: 200, response: 'ok' });
  t.same([expired.requests(), other.requests(), untrusted.requests()], [0, 0, 0]);
  t.ok(plain.requests.every(({ path }) => path !== '/hook'));
});

t.test(
  'a changed address receives the waiting messages and is not held to the pause of the former one',
  async (t) => {
    const { api, receiver, endpoint } = await startHostile(t);
    receiver.answers.set('/former?token=of-the-customer', sends('503 Later', '', ['retry-after: 86400']));
    const id = await endpoint(`${receiver.origin}/former?token=of-the-customer`);
    const path = `/webhook-endpoints/${id}`;
    await createUser(api);
    await attempted(api, id);
    await until(
      async () =>
        (await api.database.query('select from webhooks.endpoint where paused_until > now()')).length === 1,
    );
    await createUser(api);
    await until(async () => (await messagesOf(api, id)).length === 2);
    t.equal(receiver.requests.length, 1, 'the endpoint is paused');
    const changed = await api.expect(200, path, { method: 'PATCH', body: { url: `${receiver.origin}/new` } });
    t.match(changed, { failing_since: null });
    await until(async () => (await messagesOf(api, id))[0]?.status === 'delivered');
    await api.expect(202, `${path}/recover`, { body: { since: '2020-01-01' } });
    await until(async () => (await messagesOf(api, id)).every(({ status }) => status === 'delivered'));
    t.same(receiver.requests.map(({ path }) => path).sort(), [
      '/former?token=of-the-customer',
      '/new',
      '/new',
    ]);
    t.notMatch(lines.join('\n'), /of-the-customer/);
  },
);

t.test('410 of a former address does not disable the endpoint', async (t) => {
  const { api, receiver, endpoint } = await startHostile(t);
  const answer = Promise.withResolvers<void>();
  receiver.answers.set('/former', (socket, text) => {
    void answer.promise.then(() => sends('410 Gone')(socket, text));
  });
  const id = await endpoint(`${receiver.origin}/former`);
  await createUser(api);
  await until(() => receiver.requests.length === 1);
  await api.expect(200, `/webhook-endpoints/${id}`, {
    method: 'PATCH',
    body: { url: `${receiver.origin}/new` },
  });
  answer.resolve();
  t.match((await attempted(api, id)).attempts[0], failure('STATUS', 410, ''));
  await until(async () => (await messagesOf(api, id))[0]?.status === 'delivered');
  t.match(await api.expect(200, `/webhook-endpoints/${id}`), { enabled: true, failing_since: null });
});
