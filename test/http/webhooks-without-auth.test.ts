import { randomUUID } from 'node:crypto';
import t from 'tap';
import { gatewayUrl } from '../../services/api-gateway/api-gateway.service.ts';
import { loadServices, serviceNames } from '../../stack/processes/services.ts';
import { ask } from '../support/api.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';

t.test('while auth is unavailable webhooks are stored and processed, reads are 503', async (t) => {
  const database = await freshDatabase(t);
  const services = await loadServices(serviceNames.filter((name) => name !== 'auth'));
  const { broker, call } = await startBroker(t, { databaseUrl: database.url, services });
  await broker.waitForServices(['users', 'timeseries'], 60_000);
  const user = await call('users.create', {});
  const account = randomUUID();
  const link = { user_id: user.id, provider: 'devicemaker' as const, provider_user_id: account };
  await call('users.connect', link);
  const start = Date.UTC(2026, 2, 10) / 1000;
  const daily = {
    userId: account,
    summaryId: 'd',
    startTimeInSeconds: start,
    durationInSeconds: 60,
    steps: 7,
  };
  const headers = { 'devicemaker-client-id': 'tests' };
  const path = '/api/v1/webhooks/devicemaker/push';
  const pushed = await ask(gatewayUrl(broker), path, { body: { dailies: [daily] }, headers });
  t.match(pushed, { status: 200, body: { wellness: { dailies: { processed: 1, saved: 1 } } } });
  t.same(await database.query('select steps from timeseries.provider_day'), [{ steps: 7 }]);
  const read = await ask(gatewayUrl(broker), `/api/v1/users/${user.id}`, { key: `sk-${'0'.repeat(32)}` });
  t.equal(read.status, 503);
});
