import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Post } from '../../../sandbox/server/delivery.ts';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { freePort } from '../../../stack/machine/ports.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { fast } from './setting.ts';

const sandbox = await startSandbox({ seed: 'a seed', speed: 0 });
t.teardown(() => sandbox.stop());
const port = await freePort();
const database = await freshDatabase(t);
await joinApi(t, {
  database,
  settings: {
    ...environmentOf(settingsOf(sandbox.access)),
    ...{ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_ADDRESS: '100000' },
    WEBHOOK_SECRET_POLAR: 'polar_secret_of_the_tests_0000000001',
  },
  instead: [pullIngestService({ ...fast, firstUpkeepMs: 50 })],
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

const unsigned = { kind: 'garbage', path: '/polar/events', text };

/** An event that the simulation signs; its signature is that of the text with a blank. Null: it has no active webhook. */
function event(): Post | null {
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
