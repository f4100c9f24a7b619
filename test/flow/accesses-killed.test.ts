import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gatewayUrl } from '../../services/api-gateway/api-gateway.service.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { ask, createUser, joinApi } from '../support/api.ts';
import { startBroker, testSettings } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const settings = { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_ADDRESS: '100000' };
const database = await freshDatabase(t);
const bus = { natsUrl: natsUrl(), namespace: `accesses-${randomUUID()}` };
const api = await joinApi(t, { database, settings, ...bus });

async function startGateway(t: Test, { url: databaseUrl }: TestDatabase) {
  const port = await freePort();
  const environment = testSettings({ databaseUrl, natsUrl: bus.natsUrl, settings });
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../stack/processes/process.ts')], {
    env: {
      ...environment,
      ...{ PORT: String(port), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      ...{ NAMESPACE: bus.namespace, SERVICES: 'api-gateway' },
    },
    stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await ask(url, '/api/v1/ready').catch(() => null))?.status === 200;
  await until(isReady, 'the gateway is ready');
  return { child, url };
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function read(url: string, user: string, times: number) {
  const path = `/api/v1/users/${user}/summaries/body`;
  const answers = Array.from({ length: times }, () => ask(url, path, { key: api.apiKey }));
  t.ok((await Promise.all(answers)).every(({ status }) => status === 200));
}

async function countOf(user: string): Promise<number> {
  const sql = 'select coalesce(sum(count), 0)::float8 as n from auth.access where user_id = $1';
  const [row] = await database.query<{ n: number }>(sql, [user]);
  return row?.n ?? 0;
}

t.test('kill -9 of a gateway loses only what it has not written yet', async (t) => {
  const user = await createUser(api);
  const { child, url } = await startGateway(t, database);
  await read(url, user, 40);
  await until(async () => (await countOf(user)) === 40, 'the first reads are written');
  await read(url, user, 30);
  await kill(child);
  const left = await countOf(user);
  t.ok(left >= 40 && left <= 70, `${left}`);
  await read(api.url, user, 5);
  await until(async () => (await countOf(user)) === left + 5, 'another gateway adds to them');
});

t.test('a gateway that stops writes what is left', async (t) => {
  const user = await createUser(api);
  const services = await loadServices(['api-gateway']);
  const { broker } = await startBroker(t, { databaseUrl: database.url, services, settings, ...bus });
  await broker.waitForServices(['auth', 'users', 'summaries'], 60_000);
  const url = gatewayUrl(broker);
  for (let n = 0; n < 3; n += 1) {
    await read(url, user, 1);
  }
  await broker.stop();
  t.equal(await countOf(user), 3);
});
