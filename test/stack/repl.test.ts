import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { commands } from '../../stack/commands/repl-commands.ts';
import { createUser, createWearer, joinApi, userToken } from '../support/api.ts';
import { refusal } from '../support/refusal.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const namespace = `test-${randomUUID().slice(0, 12)}`;
const database = await freshDatabase(t);
const api = await joinApi(t, {
  database,
  natsUrl: natsUrl(),
  namespace,
  settings: { RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_SDK: '7' },
});

const home = mkdtempSync(join(tmpdir(), 'pulsebus-repl-test-'));
t.teardown(() => rmSync(home, { recursive: true, force: true }));

/** Sends lines to `npm run repl`; returns its output. */
async function typed(lines: readonly string[]): Promise<{ output: string; code: number | null }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../stack/commands/repl.ts')],
    {
      env: {
        ...process.env,
        HOME: home, // its history goes there
        NATS_URL: natsUrl(),
        DATABASE_URL: database.url,
        NAMESPACE: namespace,
        JWT_SECRET: 'x'.repeat(32),
        ENCRYPTION_KEY: 'x'.repeat(32),
        METRICS_PORT: '1', // what runs beside it has that port
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await once(child, 'close');
  return { output, code: typeof code === 'number' ? code : null };
}

t.test('runs piped commands over the bus and ends', async (t) => {
  const dead = randomUUID();
  await database.query(
    `insert into deliveries.delivery (id, provider, kind, headers, body, priority, state, run_at, attempts, error, done_at)
    values ($1, 'activitynet', 'nobody', '{}', 'x', 0, 'dead', now(), 8, 'SERVICE_TIMEOUT', now())`,
    [dead],
  );
  const { userId } = await createWearer(api);
  const token = await userToken(api, userId);
  for (let request = 0; request < 3; request += 1) await api.ask(`/api/v1/users/${userId}`, { token });
  const { output, code } = await typed([
    'deliveries',
    'deliveries sideways',
    `limits ${userId}`,
    `limits ${randomUUID()}`,
    'limits me',
    `backfill status ${userId}`,
    `backfill start ${userId}`,
    `replay ${dead}`,
    `replay ${randomUUID()}`,
    `reprocess ${randomUUID()}`,
  ]);
  t.equal(code, 0);
  for (const said of [
    `${dead}  dead    activitynet nobody of`,
    'SERVICE_TIMEOUT',
    '1 dead',
    'Usage: deliveries [status]',
    `sdk ${userId}: 3 of 7 used, 4 left, until 20`,
    ': 0 of 7 used, 7 left, no window runs',
    'id must be a UUID. Usage: limits <id>',
    'devicemaker: No backfill of this connection was started.',
    'what must be status',
    `${dead}  ready   activitynet nobody of`,
    'Delivery not found.',
    'Run not found.',
  ])
    t.match(output, said);
  const replayed = 'select replayed_at is not null as replayed from deliveries.delivery where id = $1';
  t.same(await database.query(replayed, [dead]), [{ replayed: true }]);
  const entry = "select actor, subject_id from auth.audit_entry where action = 'delivery.replayed'";
  t.same(await database.query(entry), [{ actor: 'system:repl', subject_id: dead }]);
});

t.test('lists jobs without payloads, and makes a dead letter due again', async (t) => {
  await database.query(
    `insert into jobs.job (kind, key, payload, run_at, error, dead_at)
     values ('test.given_up', 'a:b', '{"x":"hidden"}', now() + interval '1 hour', 'AWAY', now())`,
  );
  const { output } = await typed(['jobs', 'retry-job test.given_up']);
  for (const said of [
    'auth.cleaning              waiting 1',
    'test.given_up              dead    1',
    'test.given_up a:b  dead since 20',
    'Z, AWAY',
    'Job not found.',
  ])
    t.match(output, said);
  t.notMatch(output, 'hidden');
  t.match((await typed(['retry-job test.given_up a:b'])).output, 'test.given_up is due again');
  const job = "select error, dead_at, run_at <= now() as due from jobs.job where kind = 'test.given_up'";
  t.same(await database.query(job), [{ error: null, dead_at: null, due: true }]);
});

t.test('endpoints, their messages, and sending one again', async (t) => {
  const [endpoint, message] = [randomUUID(), randomUUID()];
  await database.query(
    `insert into webhooks.endpoint (id, url, secret, enabled, disabled_reason, failing_since)
     values ($1, 'https://app.example/hook/token', 'x', false, 'failing', now())`,
    [endpoint],
  );
  await database.query(
    `insert into webhooks.message (id, endpoint_id, type, state, recorded_at) values ($2, $1, 'test.ping', 'failed', now())`,
    [endpoint, message],
  );
  await database.query(
    `insert into webhooks.attempt (message_id, number, status, duration_ms, error) values ($1, 1, 500, 3, 'STATUS')`,
    [message],
  );
  const run = (name: string, given: unknown) => {
    const found = commands.find(({ command }) => command.split(' ')[0] === name);
    return found === undefined ? [] : found.run(api.call, given);
  };
  t.match(await run('endpoints', {}), [
    new RegExp(
      `^${endpoint}  disabled \\(failing\\)  https://app.example, last delivered: never, failing since 20.*, waiting: 0, API`,
    ),
    '1 endpoints',
  ]);
  t.match(await run('messages', { endpoint }), [
    new RegExp(`^${message}  failed    test.ping of .*, attempts: 1, STATUS 500$`),
    '1 messages',
  ]);
  await t.rejects(async () => run('resend', { id: message }), refusal('WEBHOOK_ENDPOINT_DISABLED'));
  await database.query(
    `update webhooks.endpoint set enabled = true, max_per_second = 1, paused_until = 'infinity'`,
  );
  t.match(await run('resend', { id: message }), [new RegExp(`^${message}  waiting `)]);
  t.match(await run('resend', { id: 'x' }), ['id must be a UUID. Usage: resend <id>']);
});

t.test('limits shows the window of a key, developer or user without counting', async (t) => {
  const me = z
    .object({ id: z.string() })
    .parse((await api.ask('/api/v1/auth/me', { token: api.developerToken })).body);
  const look = () => api.call('auth.window', { subject_id: me.id });
  const [first, second] = [await look(), await look()];
  t.match(first, { kind: 'developer', limit: 1000 });
  t.same(second, first);
  const keys = z
    .array(z.object({ id: z.string() }))
    .parse((await api.ask('/api/v1/api-keys', { token: api.developerToken })).body);
  const key = await api.call('auth.window', { subject_id: keys[0]?.id ?? '' });
  t.equal(key.kind, 'api-key');
  await createUser(api);
  t.equal((await api.call('auth.window', { subject_id: keys[0]?.id ?? '' })).used, key.used + 1);
});

t.test('limits shows a used-up window after a refusal, and none after its end', async (t) => {
  const userId = await createUser(api);
  const token = await userToken(api, userId);
  for (let request = 0; request < 9; request += 1) await api.ask(`/api/v1/users/${userId}`, { token });
  const look = () => api.call('auth.window', { subject_id: userId });
  t.match(await look(), { kind: 'sdk', limit: 7, used: 7, remaining: 0, reset_at: /Z$/ });
  await database.query(
    "update auth.rate_window set started_at = now() - interval '60 seconds' where subject = $1",
    [userId],
  );
  t.match(await look(), { used: 0, remaining: 7, reset_at: null });
});

t.test('backfill status lists the data types', async (t) => {
  const command = commands.find((one) => one.command.startsWith('backfill'));
  const step = { reason: null, requested_at: null, received_at: null };
  const answer = {
    provider: 'devicemaker',
    status: 'running',
    reason: null,
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2026-01-31T00:00:00Z',
    types: [
      { ...step, type: 'sleeps', status: 'requested', requests: 2, requests_done: 1, items: 30, saved: 29 },
    ],
  };
  const lines = await command?.run((async () => answer) as never, {
    what: 'status',
    user_id: randomUUID(),
    provider: 'devicemaker',
  });
  t.same(lines, [
    'devicemaker: running, 2026-01-01T00:00:00Z to 2026-01-31T00:00:00Z',
    '  sleeps             requested requests 1/2, items 30, saved 29',
  ]);
});
