import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import type { Post } from '../../../sandbox/server/delivery.ts';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { freePort } from '../../../stack/machine/ports.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { createUser, joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { fast } from './setting.ts';

const sandbox = await startSandbox({ seed: 'a seed', speed: 0 });
t.teardown(() => sandbox.stop());
const port = await freePort();
const database = await freshDatabase(t);
const api = await joinApi(t, {
  database,
  settings: {
    ...environmentOf(settingsOf(sandbox.access)),
    ...{ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_ADDRESS: '100000' },
    WEBHOOK_SECRET_POLAR: 'polar_secret_of_the_tests_0000000001',
  },
  // What a notification demands is not read: it has to be seen.
  instead: [pullIngestService({ ...fast, settleMs: 600_000, firstUpkeepMs: 50 })],
});

interface Row {
  readonly state: string;
  readonly secret: string | null;
}

/** The row of the subscription once it is as wanted. Each look makes the check due. */
async function until(isRight: (row: Row) => boolean): Promise<Row> {
  for (;;) {
    await database.query("update pull.subscription set checked_at = now() - interval '1 day'");
    await database.query("update jobs.job set run_at = now() where kind = 'pull-ingest.subscriptions'");
    await sleep(50);
    const [row] = await database.query<Row>(
      "select state, secret from pull.subscription where provider = 'polar'",
    );
    if (row !== undefined && isRight(row)) return row;
  }
}

const text = JSON.stringify({ event: 'EXERCISE', user_id: 1, entity_id: 'a' });

/** An event that the simulation signs; its signature is that of the text with a blank. Null: it has no active webhook. */
function event(of = text): Post | null {
  const unsigned = { kind: 'garbage', path: '/polar/events', text: of };
  const polar = sandbox.providers.find(({ name }) => name === 'polar');
  const post = polar?.post(unsigned) ?? null;
  return polar?.isReady() === true && post !== null ? { ...post, body: `${post.body} ` } : null;
}

async function statusOf({ url, body }: Post, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

const isActive = ({ state, secret }: Row) => state === 'active' && secret !== null;

t.test('the secret of a new webhook is stored encrypted, and accepts what the provider signs', async (t) => {
  const { secret } = await until(isActive);
  const post = event();
  if (post === null || secret === null) throw new Error('there is no webhook');
  t.equal(secret.includes(post.headers['polar-webhook-signature'] ?? ''), false);
  t.notMatch(secret, /^[0-9a-f]{32,}$/, 'it is not stored as it was given');
  t.equal(await statusOf(post, post.headers), 200);
  t.equal(await statusOf({ ...post, body: text }, post.headers), 401, 'a signature of another body');
  t.equal(await statusOf(post, { 'Content-Type': 'application/json' }), 401, 'no signature');
});

t.test('a ping is answered without a signature', async (t) => {
  const post = event();
  if (post === null) throw new Error('there is no webhook');
  const ping = { ...post, body: JSON.stringify({ event: 'PING' }) };
  t.equal(await statusOf(ping, { 'Content-Type': 'application/json' }), 200);
});

t.test('a webhook that was deactivated is activated again, with its secret', async (t) => {
  const { secret } = await until(isActive);
  await fetch(`${sandbox.access.url}/polar/control/webhook-off`, { method: 'POST' });
  t.equal(event(), null);
  await until(() => event() !== null);
  t.equal((await until(isActive)).secret, secret);
});

t.test('a webhook whose secret is not known is made again', async (t) => {
  const before = event();
  await database.query("update pull.subscription set secret = null where provider = 'polar'");
  await until(isActive);
  const post = event();
  if (post === null || before === null) throw new Error('there is no webhook');
  t.equal(await statusOf(post, post.headers), 200);
  t.equal(await statusOf(post, before.headers), 401, 'the former secret is no longer valid');
});

t.test('a signed event has its local day read, wherever its user is', async (t) => {
  await until(isActive);
  const userId = await createUser(api);
  const body = { provider: 'polar', provider_user_id: '475', access_token: 'a token' };
  await api.expect(201, `/users/${userId}/connections`, { body });
  const date = isoTime(Date.now() - 5 * dayMs).slice(0, 10);
  const notified = async (name: string) => {
    const post = event(JSON.stringify({ event: name, user_id: 475, date }));
    if (post === null) throw new Error('there is no webhook');
    t.equal(await statusOf(post, post.headers), 200, name);
  };
  // Names that every object has are unknown events.
  for (const name of ['SLEEP', 'toString', 'constructor', '__proto__']) await notified(name);
  const rows = await database.query<{ type: string; startMs: number; endMs: number }>(
    `select type, (extract(epoch from lower(spans)) * 1000)::float8 as "startMs",
       (extract(epoch from upper(spans)) * 1000)::float8 as "endMs"
     from pull.reading join pull.connection using (connection_id) where user_id = $1 order by type`,
    [userId],
  );
  // From the begin of the day in the east to its end in the west, with a night that ends on it.
  const span = { startMs: Date.parse(date) - dayMs, endMs: Date.parse(date) + 2 * dayMs };
  t.same(rows, [
    { type: 'recharge', ...span },
    { type: 'sleep', ...span },
  ]);
});
