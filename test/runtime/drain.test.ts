import t from 'tap';
import { actionsByName } from '../../contracts/all.ts';
import { onDrain } from '../../runtime/drain.ts';
import { callingOptions } from '../../runtime/environment.ts';
import { startBroker } from '../support/servers/broker.ts';
import { adminUrl } from '../support/servers/database.ts';

t.test('drains once, before services stop', async (t) => {
  const order: string[] = [];
  const service = {
    name: 'witness',
    actions: { ask: () => 'there' },
    stopped: async () => void order.push('stopped'),
  };
  const { broker } = await startBroker(t, { databaseUrl: adminUrl(), services: [service] });
  onDrain(broker, async () => {
    order.push(`drains, and the service is ${await broker.call('witness.ask')}`);
  });
  await Promise.all([broker.stop(), broker.stop()]);
  await broker.stop();
  t.same(order, ['drains, and the service is there', 'stopped']);
});

t.test('only idempotent actions are retried', async (t) => {
  for (const [name, { http, idempotent = http?.method === 'GET' }] of actionsByName)
    t.equal(callingOptions(name).retries, idempotent ? 2 : 0, name);
  const once = ['users.create', 'auth.createKey', 'auth.refresh', 'devicemaker-ingest.push'];
  // A GET that begins something, or whose reads are counted.
  const onceByGet = [
    'connect.authorize',
    'connect.callback',
    'deliveries.body',
    'fhir.exportAll',
    'fhir.exportPatient',
  ];
  for (const name of [...once, ...onceByGet]) t.equal(callingOptions(name).retries, 0, name);
});
