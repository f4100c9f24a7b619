import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { startBroker, testSettings } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const provider = 'devicemaker' as const;
const database = await freshDatabase(t);
const bus = { natsUrl: natsUrl(), namespace: `killed-${randomUUID()}` };

/**
 * A token endpoint whose refresh tokens rotate: the old one is valid until the new access token is used. `onIssued` runs
 * after new tokens were made and before they are returned.
 */
const issued: string[] = [];
const [refreshable, alive] = [new Map([['refresh-0', '']]), new Set<string>()];
let onIssued = async (): Promise<void> => undefined;
const server = createServer(async (request, response) => {
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url !== '/token') {
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    if (!alive.has(token)) return send(401, {});
    // Using an access token ends the refresh token that it was issued for.
    for (const [refresh, access] of refreshable)
      if (access === `replaced by ${token}`) refreshable.delete(refresh);
    return send(200, { userId: 'account' });
  }
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const used = new URLSearchParams(text).get('refresh_token') ?? '';
  if (!refreshable.has(used)) return send(400, { error: 'invalid_grant' });
  issued.push(used);
  const [access, refresh] = [`access-${issued.length}`, `refresh-${issued.length}`];
  alive.add(access);
  refreshable.set(used, `replaced by ${access}`);
  refreshable.set(refresh, '');
  await onIssued();
  send(200, { access_token: access, refresh_token: refresh, expires_in: 10_800 });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
t.teardown(() => {
  server.closeAllConnections();
  server.close();
});
const address = server.address();
const url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
const settings = {
  DEVICEMAKER_API_URL: url,
  DEVICEMAKER_TOKEN_URL: `${url}/token`,
  DEVICEMAKER_CLIENT_ID: 'tests',
  DEVICEMAKER_CLIENT_SECRET: 'the client secret of the tests',
};

/** A process of its own that holds and refreshes tokens. */
function startHolder(): ChildProcess {
  const environment = testSettings({ databaseUrl: database.url, natsUrl: bus.natsUrl, settings });
  const choice = JSON.stringify({ settings: environment, namespace: bus.namespace });
  const child = fork(join(import.meta.dirname, 'token-process.ts'), [choice], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const { broker, call } = await startBroker(t, { ...bus, databaseUrl: database.url, services: [] });
let holder = startHolder();
await broker.waitForServices(['users', 'holder'], 60_000);
const { id: user_id } = await call('users.create', {});
/** The status of a read with a token of the user; null if the process ends before. */
async function access(): Promise<unknown> {
  holder.send(user_id);
  const [status] = await Promise.race([once(holder, 'message'), once(holder, 'exit').then(() => [null])]);
  return status;
}
const rowOf = async () => (await database.query('select * from users.connection'))[0];
const soon = () =>
  database.query(`update users.connection set expires_at = now(), refresh_leased_until = null`);

t.test('after kill -9 between the answer and its commit the old refresh token still works', async (t) => {
  await call('users.connect', {
    ...{ user_id, provider, provider_user_id: 'account', access_token: 'access-0' },
    ...{ refresh_token: 'refresh-0', expires_at: new Date().toISOString() },
  });
  // The row is locked when the answer leaves, so that nothing can be stored before the process is killed.
  const isWaiting = async () => {
    const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%update users.connection%'`;
    return (await database.query(waiting)).length > 0;
  };
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const locking = database.transaction(async (transaction) => {
    await locked.promise;
    await transaction.query('select from users.connection for update');
    onIssued = async () => undefined;
    release.resolve();
    await until(isWaiting, 'the new tokens are about to be stored');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await transaction.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
  });
  onIssued = () => {
    locked.resolve();
    return release.promise;
  };
  const lost = access();
  await locking;
  await lost;
  t.match(await rowOf(), { token_version: 0, status: 'active' }, 'the new tokens were not stored');
  await soon();
  holder = startHolder();
  await broker.waitForServices(['users', 'holder'], 60_000);
  await until(async () => (await access()) === 200);
  t.same(issued, ['refresh-0', 'refresh-0']);
  t.match(await rowOf(), { token_version: 1, status: 'active', previous_refresh_token: null });
});

t.test('a refresh token that the provider has lost is replaced by the one before it', async (t) => {
  await soon();
  onIssued = async () => {
    alive.delete(`access-${issued.length}`);
  };
  const before = issued.length;
  t.equal(await access(), 401, 'the tokens that were just issued do not work');
  t.equal(issued.length, before + 1);
  const held = await rowOf();
  t.equal(held?.status, 'active');
  t.type(
    held?.previous_refresh_token,
    'string',
    'tokens that have not worked do not replace the ones before',
  );
  onIssued = async () => undefined;
  refreshable.delete(`refresh-${issued.length}`);
  await soon();
  t.equal(await access(), 200);
  t.equal(issued.at(-1), `refresh-${issued.length - 2}`);
  t.match(await rowOf(), { status: 'active', previous_refresh_token: null });
});

t.test('a connection that ends has no previous refresh token', async (t) => {
  await soon();
  onIssued = async () => {
    alive.delete(`access-${issued.length}`);
  };
  t.equal(await access(), 401);
  t.type((await rowOf())?.previous_refresh_token, 'string');
  await database.query(`update users.connection set access_token = null, refresh_token = null`);
  t.equal((await rowOf())?.previous_refresh_token, null, 'also if a process of the previous version ends it');
});
