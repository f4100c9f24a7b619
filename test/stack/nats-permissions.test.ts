import type { ServiceSchema } from 'moleculer';
import type { Msg } from 'nats';
import t from 'tap';
import { loadConfig } from '../../config.ts';
import { actionsByName } from '../../contracts/all.ts';
import { callsOf } from '../../contracts/calls.ts';
import { createBroker } from '../../runtime/broker.ts';
import { permissionsOf, restrictedRoles } from '../../runtime/bus/permissions.ts';
import { startOwnBus } from '../support/servers/nats.ts';

const roles = [...restrictedRoles, 'auth+users'];
const bus = await startOwnBus(t, { roles: ['auth+users'] });
const prefix = `MOL-${bus.namespace}`;
const actions = [...actionsByName.keys()];
const callsOfRole = (role: string) =>
  new Set(role.split('+').flatMap((service) => [...(callsOf(service) ?? [])]));
const isOf = (role: string, action: string) => role.split('+').includes(action.split('.')[0] ?? '');

t.test('a role may request the actions that it declares, and no other', async (t) => {
  const seen = new Set<string>();
  const watcher = await bus.connectAs('pulsebus');
  watcher.subscribe(`${prefix}.REQ.>`, {
    callback: (_, { subject, data }) => void seen.add(`${Buffer.from(data)} ${subject}`),
  });
  await watcher.flush();
  let tried = 0;
  const unexpected: string[] = [];
  for (const role of roles) {
    const connection = await bus.connectAs(role);
    for (const action of actions) connection.publish(`${prefix}.REQ.node.${action}`, role);
    // Neither a subject that names no action, nor one with further tokens.
    connection.publish(`${prefix}.REQ.node`, role);
    connection.publish(`${prefix}.REQ.node.users.get.more`, role);
    await connection.flush();
    await watcher.flush();
    for (const action of actions) {
      tried += 1;
      const isPermitted = seen.has(`${role} ${prefix}.REQ.node.${action}`);
      if (isPermitted !== callsOfRole(role).has(action)) unexpected.push(`${role} ${action} ${isPermitted}`);
    }
    for (const subject of ['REQ.node', 'REQ.node.users.get.more'])
      if (seen.has(`${role} ${prefix}.${subject}`)) unexpected.push(`${role} ${subject}`);
  }
  t.comment(`${roles.length} roles, ${tried} pairs, ${unexpected.length} unexpected`);
  t.equal(tried, roles.length * actions.length);
  t.same(unexpected, []);
});

t.test('a role receives requests for its own services and answers to its own calls only', async (t) => {
  const sender = await bus.connectAs('pulsebus');
  const unexpected: string[] = [];
  for (const role of roles) {
    const connection = await bus.connectAs(role);
    const received = new Set<string>();
    const callback = (error: Error | null, { subject }: Msg) => {
      if (error === null) received.add(subject);
    };
    const requests = restrictedRoles.map((service) => `${prefix}.REQ.node.${service}.*`);
    const answers = roles.map((other) => `${prefix}.RES.${other}.node`);
    const wide = ['>', `${prefix}.>`, `${prefix}.REQ.>`, `${prefix}.RES.>`, `${prefix}.RES.*.node`];
    for (const subject of [...requests, ...answers, ...wide]) connection.subscribe(subject, { callback });
    await connection.flush();
    for (const action of actions) sender.publish(`${prefix}.REQ.node.${action}`);
    for (const answer of answers) sender.publish(answer);
    sender.publish(`${prefix}.HEARTBEAT`);
    await sender.flush();
    await connection.flush();
    const wanted = [
      ...actions.filter((action) => isOf(role, action)).map((action) => `${prefix}.REQ.node.${action}`),
      `${prefix}.RES.${role}.node`,
    ];
    for (const subject of received) if (!wanted.includes(subject)) unexpected.push(`${role} got ${subject}`);
    for (const subject of wanted) if (!received.has(subject)) unexpected.push(`${role} lacks ${subject}`);
    await connection.close();
  }
  t.same(unexpected, []);
});

t.test('a role may answer the roles that call it, and no other', async (t) => {
  const answered = (role: string) =>
    permissionsOf(role, 'x')
      .publish.filter((subject) => subject.startsWith('MOL-x.RES.'))
      .map((subject) => subject.split('.')[2]);
  t.same(answered('summaries').toSorted(), ['api-gateway', 'insights', 'pulsebus', 'webhooks']);
  t.same(answered('connect').toSorted(), ['api-gateway', 'pulsebus', 'users']);
});

t.test('the process of a command is answered what it may call, and refused the rest', async (t) => {
  const start = async (role: string, services: readonly ServiceSchema[]) => {
    const secrets = { JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
    const joining = {
      NATS_URL: bus.urlOf(role),
      NAMESPACE: bus.namespace,
      LOG_LEVEL: 'fatal',
      DRAIN_MS: '0',
    };
    const config = loadConfig({ ...secrets, ...joining });
    const broker = createBroker({ config, nodeID: `${role}-1`, services: [...services] });
    await broker.start();
    t.teardown(() => broker.stop());
    return broker;
  };
  const called: string[] = [];
  const names = ['moveInUsers', 'tokens', 'remove'];
  const answering = names.map((name) => [name, () => void called.push(name)] as const);
  await start('users', [{ name: 'users', actions: Object.fromEntries(answering) }]);
  const command = await start('move-in', []);
  await command.waitForServices(['users'], 20_000);
  t.match(command.nodeID, /^move-in:/);
  await command.call('users.moveInUsers', {}, { timeout: 20_000 });
  for (const name of ['tokens', 'remove'])
    await t.rejects(command.call(`users.${name}`, {}, { timeout: 500, retries: 0 }), name);
  t.same(called, ['moveInUsers']);
});
