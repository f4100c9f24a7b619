import { randomBytes } from 'node:crypto';
import { Errors, ServiceBroker, type ServiceSchema } from 'moleculer';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { callerPublicKey } from '../../../runtime/bus/caller-signature.ts';
import { Sealing } from '../../../runtime/bus/sealing.ts';
import { BusTransporter } from '../../../runtime/bus/transporter.ts';
import { natsOptions } from '../../../runtime/nats-options.ts';
import { startOwnBus } from '../../support/servers/nats.ts';

const bus = await startOwnBus(t);
const prefix = `MOL-${bus.namespace}`;
const key = randomBytes(32).toString('hex');
const secret = 'a password that nobody may read';
const runs: string[] = [];

const auth: ServiceSchema = {
  name: 'auth',
  actions: Object.fromEntries(
    ['createKey', 'me', 'admit'].map((name) => [
      name,
      (ctx: { readonly params: { readonly n: string } }) => {
        runs.push(`${name} ${ctx.params.n}`);
        return { key: `answer ${secret}` };
      },
    ]),
  ),
};

async function start(
  role: string,
  settings: Readonly<Record<string, string>> = {},
  services = [] as ServiceSchema[],
) {
  const secrets = { JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
  const broker = createBroker({
    config: loadConfig({
      ...secrets,
      ...{ NATS_URL: bus.urlOf(role), NAMESPACE: bus.namespace, LOG_LEVEL: 'fatal', DRAIN_MS: '0' },
      ...settings,
    }),
    nodeID: `${role.replace('+', '-')}-${++nodes}`,
    services,
  });
  await broker.start();
  t.teardown(() => broker.stop());
  return broker;
}

let nodes = 0;
const owner = await start('auth', { CALLER_PUBLIC_KEY: callerPublicKey(key) }, [auth]);
const gateway = await start('api-gateway', { CALLER_KEY: key });
const operator = await start('pulsebus');
await Promise.all([gateway, operator].map((broker) => broker.waitForServices(['auth'], 20_000)));
const watcher = await bus.connectAs('pulsebus');
const recorded: { readonly subject: string; readonly data: Buffer }[] = [];
watcher.subscribe(`${prefix}.>`, {
  callback: (_, { subject, data }) => void recorded.push({ subject, data: Buffer.from(data) }),
});
await watcher.flush();
const n = { n: secret };

t.test('requests and answers are sealed, and their subjects name action and role', async (t) => {
  t.same(await gateway.call('auth.createKey', n), { key: `answer ${secret}` });
  t.same(await gateway.call('auth.me', n), { key: `answer ${secret}` });
  await watcher.flush();
  const calls = recorded.filter(({ subject }) => /\.(REQ|RES)\./.test(subject));
  t.same(
    calls.map(({ subject }) => subject),
    [
      `${prefix}.REQ.auth:auth-1.auth.createKey`,
      `${prefix}.RES.api-gateway.api-gateway:api-gateway-2`,
      `${prefix}.REQ.auth:auth-1.auth.me`,
      `${prefix}.RES.api-gateway.api-gateway:api-gateway-2`,
    ],
  );
  t.notOk(recorded.some(({ data }) => data.includes('nobody may read')));
  const transporter = owner.transit?.tx;
  if (!(transporter instanceof BusTransporter)) throw new Error('another transporter');
  t.equal(transporter.callers, 0, 'a caller is forgotten when it is answered');
});

t.test('a privileged action runs for the gateway only, any other for who may call it', async (t) => {
  runs.length = 0;
  await t.rejects(operator.call('auth.createKey', n), { type: 'CALLER_REFUSED', code: 403 });
  await operator.call('auth.me', n);
  const withKey = await start('pulsebus', { CALLER_KEY: key });
  await withKey.waitForServices(['auth'], 20_000);
  await withKey.call('auth.createKey', n);
  const withOtherKey = await start('pulsebus', { CALLER_KEY: randomBytes(32).toString('hex') });
  await withOtherKey.waitForServices(['auth'], 20_000);
  await t.rejects(withOtherKey.call('auth.createKey', n), { type: 'CALLER_REFUSED', code: 403 });
  t.same(runs, [`me ${secret}`, `createKey ${secret}`]);
  await owner.call('auth.createKey', n);
  t.equal(runs.length, 3, 'a call within the process needs no signature');
});

t.test('a role whose services do not call an action gets no answer', async (t) => {
  runs.length = 0;
  const summaries = await start('summaries', { CALLER_KEY: key });
  await summaries.waitForServices(['auth'], 20_000);
  await t.rejects(summaries.call('auth.me', n, { timeout: 500 }), Errors.RequestTimeoutError);
  t.same(runs, []);
});

t.test('a recorded request of a privileged action is not run again', async (t) => {
  runs.length = 0;
  recorded.length = 0;
  await gateway.call('auth.createKey', n);
  await watcher.flush();
  const request = recorded.find(({ subject }) => subject.includes('.REQ.'));
  if (request === undefined) throw new Error('no request');
  for (const subject of [
    request.subject,
    request.subject.replace('createKey', 'me'),
    `${prefix}.REQ.auth:auth-1`,
  ])
    watcher.publish(subject, request.data);
  await watcher.flush();
  await gateway.call('auth.me', { n: 'after' }); // messages are handled in their order
  t.same(runs, [`createKey ${secret}`, 'me after']);
});

t.test('forged requests do not run', async (t) => {
  runs.length = 0;
  const sealing = new Sealing();
  const receiver = String(gateway.registry.nodes.get('auth:auth-1')?.metadata?.bus_key);
  const request = (action: string, sender: string) =>
    Buffer.from(
      JSON.stringify({ ver: '5', sender, id: '1', action, params: n, meta: {}, headers: {}, level: 1 }),
    );
  const to = (action: string) => `${prefix}.REQ.auth:auth-1.${action}`;
  // The bus permitted another action than the packet names.
  watcher.publish(to('auth.me'), sealing.seal(request('auth.admit', 'x'), receiver));
  // As if the call came from the process itself.
  watcher.publish(to('auth.createKey'), sealing.seal(request('auth.createKey', 'auth:auth-1'), receiver));
  watcher.publish(to('auth.createKey'), sealing.seal(request('auth.createKey', 'x'), receiver));
  watcher.publish(to('auth.me'), request('auth.me', 'x'));
  watcher.publish(to('auth.me'), Buffer.alloc(0));
  await watcher.flush();
  await gateway.call('auth.me', { n: 'after' });
  t.same(runs, ['me after']);
});

t.test('a process of an earlier release calls and is called as before', async (t) => {
  runs.length = 0;
  const old = new ServiceBroker({
    ...{ namespace: bus.namespace, nodeID: 'old.host-1', logLevel: 'fatal', logger: true },
    transporter: { type: 'NATS', options: natsOptions({ NATS_URL: bus.urlOf('pulsebus') }) },
    skipProcessEventRegistration: true,
  });
  old.createService({ name: 'old', actions: { hello: () => 'hello' } });
  await old.start();
  t.teardown(() => old.stop());
  const other = await start('pulsebus', {}, [{ name: 'other', actions: { hello: () => 'hello' } }]);
  await Promise.all([old.waitForServices(['other'], 20_000), other.waitForServices(['old'], 20_000)]);
  t.equal(await old.call('other.hello'), 'hello');
  t.equal(await other.call('old.hello'), 'hello');
});
