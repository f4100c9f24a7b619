import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { messageLog } from '../../sandbox/receiver/message-log.ts';
import {
  type ReceiverOptions,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../sandbox/receiver/webhook-receiver.ts';
import { receiverLines } from '../../stack/listen/receiver-lines.ts';

const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const secret = secretOf('a');
const token = 'the token of the tests';

async function start(t: Test, options: Partial<ReceiverOptions> = {}): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver({ port: 0, path: 'hook', token, secret, ...options });
  t.teardown(() => receiver.stop());
  return receiver;
}

interface Sending {
  readonly body?: string;
  readonly signedBody?: string;
  readonly secret?: string;
  readonly at?: Date;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a message as the product does, or with something wrong; returns the status. */
async function send({ url }: Pick<WebhookReceiver, 'url'>, id: string, sending: Sending = {}) {
  const { body = '{"type":"user.created"}', at = new Date(), headers } = sending;
  const signature = new Webhook(sending.secret ?? secret).sign(id, at, sending.signedBody ?? body);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
      ...headers,
    },
    body,
  });
  return response.status;
}

/** The ids and bodies of the first messages of a stream. */
async function read(
  receiver: WebhookReceiver,
  count: number,
  beginning: Parameters<typeof receiverLines>[1],
) {
  const found: { id: string | undefined; number: number; body: string }[] = [];
  for await (const line of receiverLines({ ...receiver, token }, beginning)) {
    if ('number' in line)
      found.push({ id: line.headers['webhook-id'], number: line.number, body: line.body });
    if (found.length === count) break;
  }
  return found;
}

t.test('keeps messages whose signature is valid, and refuses all others', async (t) => {
  const receiver = await start(t);
  const [body, minute] = ['{"type":"user.created","data":{"external_user_id":"naïve"}}', 60_000];
  t.equal(await send(receiver, 'm1', { body }), 204);
  const refused: Record<string, Sending> = {
    'another secret': { secret: secretOf('b') },
    'a changed body': { body: '{"type":"user.deleted"}', signedBody: body },
    'an old timestamp': { at: new Date(Date.now() - 6 * minute) },
    'a timestamp in the future': { at: new Date(Date.now() + 6 * minute) },
    'another id': { headers: { 'webhook-id': 'm0' } },
    'no signature': { headers: { 'webhook-signature': '' } },
    garbage: { headers: { 'webhook-signature': 'v1,%%% v9 \u00ff' }, body: 'x' },
  };
  for (const [what, sending] of Object.entries(refused))
    t.equal(await send(receiver, what, sending), 401, what);
  t.equal(await send(receiver, 'm2'), 204);
  t.strictSame(await read(receiver, 2, { last: 100 }), [
    { id: 'm1', number: 1, body },
    { id: 'm2', number: 2, body: '{"type":"user.created"}' },
  ]);
});

t.test('a changed secret verifies later messages', async (t) => {
  const receiver = await start(t, { secret: null });
  t.equal(await send(receiver, 'm1'), 503, 'the secret is not known yet');
  receiver.useSecret(secret);
  t.equal(await send(receiver, 'm1'), 204);
});

t.test('a body beyond the limit is refused, and nothing of it is kept', async (t) => {
  const receiver = await start(t);
  const status = await send(receiver, 'm1', { body: 'x'.repeat(400_000) }).catch(() => 413);
  t.equal(status, 413);
  t.equal(await send(receiver, 'm2'), 204);
  t.equal((await read(receiver, 1, { last: 100 }))[0]?.id, 'm2');
});

/** The status of a request to the stream, with other headers than a listener sends. */
async function streamStatus({ messagesUrl }: WebhookReceiver, headers: Record<string, string>) {
  const sent = request(messagesUrl, { headers, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.destroy();
  return { status: response?.statusCode, allowed: response?.headers['access-control-allow-origin'] };
}

t.test('the stream requires the token and the name of this machine', async (t) => {
  const receiver = await start(t);
  const authorization = `Bearer ${token}`;
  const refused = { status: 401, allowed: undefined };
  t.strictSame(await streamStatus(receiver, {}), refused);
  t.strictSame(await streamStatus(receiver, { authorization: `Bearer ${token}x` }), refused);
  t.strictSame(await streamStatus(receiver, { authorization: token }), refused);
  t.match(await streamStatus(receiver, { authorization, host: 'attacker.example' }), { status: 403 });
  t.match(await streamStatus(receiver, { authorization, host: '127.0.0.1.attacker.example' }), {
    status: 403,
  });
  t.strictSame(await streamStatus(receiver, { authorization, origin: 'https://attacker.example' }), {
    status: 200,
    allowed: undefined,
  });
  t.equal((await fetch(`${receiver.origin}/`)).status, 404);
  t.equal((await fetch(receiver.url)).status, 405);
  t.equal((await fetch(receiver.messagesUrl, { method: 'OPTIONS' })).status, 405);
});

t.test('a stream begins where its reader asks', async (t) => {
  const receiver = await start(t, { limits: { messages: 4, bytes: 1000 } });
  for (const id of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']) await send(receiver, id);
  const ids = async (count: number, beginning: Parameters<typeof receiverLines>[1]) =>
    (await read(receiver, count, beginning)).map(({ id }) => id);
  t.strictSame(await ids(2, { last: 2 }), ['m5', 'm6']);
  t.strictSame(await ids(4, { last: 100 }), ['m3', 'm4', 'm5', 'm6'], 'more than is kept');
  t.strictSame(await ids(4, { receiver: 'an earlier one', after: 5 }), ['m3', 'm4', 'm5', 'm6']);
  const [first] = await Array.fromAsync(takeFirst(receiver));
  const name = first !== undefined && 'receiver' in first ? first.receiver : '';
  t.strictSame(await ids(1, { receiver: name, after: 5 }), ['m6']);
  const later = ids(1, { last: 0 });
  for (let sent = 7; sent < 10; sent++) await send(receiver, `m${sent}`);
  t.match((await later)[0], /^m[789]$/);
});

async function* takeFirst(receiver: WebhookReceiver) {
  for await (const line of receiverLines({ ...receiver, token }, { last: 0 })) {
    yield line;
    return;
  }
}

t.test('a stream reports refused requests', async (t) => {
  const receiver = await start(t);
  for await (const line of receiverLines({ ...receiver, token }, { last: 0 })) {
    if ('after' in line) await send(receiver, 'm1', { secret: secretOf('b') });
    if ('refused' in line) return t.equal(line.refused, 1);
  }
  t.fail('the stream ended');
});

t.test('the log is bounded by the number and the size of its messages', async (t) => {
  const log = messageLog({ messages: 3, bytes: 10 });
  const add = (body: string) => log.add({ at: '', headers: {}, body });
  t.equal(log.next(0), undefined);
  for (const body of ['1', '2', '3', '4']) add(body);
  t.equal(log.next(0)?.body, '2');
  add('123456789');
  t.strictSame([log.next(0)?.number, log.next(4)?.number, log.next(5)?.number], [4, 5, undefined]);
  add('x'.repeat(11));
  t.equal(log.next(0), undefined, 'larger than the log');
  add('8');
  t.strictSame([log.next(0)?.number, log.newest()], [7, 7]);
});

t.test('a port in use is replaced', async (t) => {
  const first = await start(t);
  const second = await start(t, { port: Number(new URL(first.origin).port) });
  t.not(second.origin, first.origin);
  t.equal(await send(second, 'm1'), 204);
});
