import { createServer } from 'node:net';
import { Errors, type ServiceSchema } from 'moleculer';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { startOwnBus } from '../../support/servers/nats.ts';

const bus = await startOwnBus(t);
const prefix = `MOL-${bus.namespace}`;
const value = 'a value that only two processes may read';
const runs: string[] = [];

const auth: ServiceSchema = {
  name: 'auth',
  actions: Object.fromEntries(
    ['createKey', 'me', 'admit'].map((name) => [
      name,
      (ctx: { readonly params: { readonly n: string } }) => {
        runs.push(`${name} ${ctx.params.n}`);
        return { key: `answer ${value}` };
      },
    ]),
  ),
};

async function start(role: string, services = [] as ServiceSchema[]) {
  const secrets = { JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
  const broker = createBroker({
    config: loadConfig({
      ...secrets,
      ...{ NATS_URL: bus.urlOf(role), NAMESPACE: bus.namespace, LOG_LEVEL: 'fatal', DRAIN_MS: '0' },
    }),
    nodeID: `${role.replace('+', '-')}-${++nodes}`,
    services,
  });
  await broker.start();
  t.teardown(() => broker.stop());
  return broker;
}

let nodes = 0;
await start('auth', [auth]);
const gateway = await start('api-gateway');
await gateway.waitForServices(['auth'], 20_000);
const watcher = await bus.connectAs('pulsebus');
const recorded: { readonly subject: string; readonly text: string }[] = [];
watcher.subscribe(`${prefix}.>`, {
  callback: (_, { subject, data }) => void recorded.push({ subject, text: Buffer.from(data).toString() }),
});
await watcher.flush();
const n = { n: value };

t.test(
  'the subjects of requests and answers name action and role, and no other packet has content',
  async (t) => {
    t.same(await gateway.call('auth.createKey', n), { key: `answer ${value}` });
    t.same(await gateway.call('auth.me', n), { key: `answer ${value}` });
    await watcher.flush();
    t.same(
      recorded.filter(({ text }) => text.includes(value)).map(({ subject }) => subject),
      [
        `${prefix}.REQ.auth:auth-1.auth.createKey`,
        `${prefix}.RES.api-gateway.api-gateway:api-gateway-2`,
        `${prefix}.REQ.auth:auth-1.auth.me`,
        `${prefix}.RES.api-gateway.api-gateway:api-gateway-2`,
      ],
    );
  },
);

t.test('a process of another role reads none of them', async (t) => {
  const spy = await bus.connectAs('summaries');
  const seen: string[] = [];
  const refused: string[] = [];
  for (const subject of ['>', 'REQ.>', 'REQ.*.auth.*', 'RES.>', 'RES.api-gateway.*'])
    spy.subscribe(`${prefix}.${subject}`, {
      callback: (error, message) =>
        void (error === null ? seen.push(message.subject) : refused.push(error.message)),
    });
  await spy.flush();
  await gateway.call('auth.createKey', n);
  await spy.flush();
  t.same(seen, []);
  t.equal(refused.length, 5);
});

t.test('a role whose services do not call an action gets no answer', async (t) => {
  runs.length = 0;
  const summaries = await start('summaries');
  await summaries.waitForServices(['auth'], 20_000);
  await t.rejects(summaries.call('auth.me', n, { timeout: 500 }), Errors.RequestTimeoutError);
  t.same(runs, []);
});

t.test('forged requests do not run', async (t) => {
  runs.length = 0;
  const request = (action: string, sender: string) =>
    Buffer.from(
      JSON.stringify({ ver: '5', sender, id: '1', action, params: n, meta: {}, headers: {}, level: 1 }),
    );
  const to = (action: string) => `${prefix}.REQ.auth:auth-1.${action}`;
  // The bus permitted another action than the packet names.
  watcher.publish(to('auth.me'), request('auth.admit', 'x'));
  // As if the call came from the process itself.
  watcher.publish(to('auth.createKey'), request('auth.createKey', 'auth:auth-1'));
  watcher.publish(`${prefix}.REQ.auth:auth-1`, request('auth.me', 'x'));
  watcher.publish(to('auth.me'), Buffer.alloc(0));
  await watcher.flush();
  await gateway.call('auth.me', { n: 'after' }); // messages are handled in their order
  t.same(runs, ['me after']);
});

t.test('a server that refuses large messages is not used, and the error names its setting', async (t) => {
  const server = createServer((socket) => {
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'N', version: '2.10.0', proto: 1, max_payload: 1_048_576 })}\r\n`,
    );
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'));
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const secrets = { JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
  const settings = { NATS_URL: `nats://127.0.0.1:${port}`, LOG_LEVEL: 'fatal', DRAIN_MS: '0' };
  const broker = createBroker({ config: loadConfig({ ...secrets, ...settings }) });
  const failure = new Promise((resolve) => broker.localBus.once('$transporter.error', resolve));
  broker.start();
  t.match(await failure, { error: { message: /1048576 bytes .* set max_payload to 8MB/ } });
  await broker.stop();
});
