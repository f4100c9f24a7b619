import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { writePrivate } from '../../stack/database/secrets.ts';
import { ownPort } from '../../stack/machine/ports.ts';
import { registerReceiver, startReceiver } from '../../stack/sandbox/sandbox-receiver.ts';
import { takeDataDir } from '../../stack/servers/data-dir.ts';
import { createUser, startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulsebus-listen-test-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const dataDir = takeDataDir(folder, 0);
t.teardown(dataDir.release);
const origin = `http://127.0.0.1:${await ownPort(folder, 'receiver')}`;
const api = await startApi(t, { CHANGE_JOIN_SECONDS: '0', WEBHOOK_ENDPOINT_ORIGINS: origin });
const endpoints = () => api.call('webhooks.listEndpoints', {});
const runFile = join(folder, 'run.json');

/** Starts the receiver as `npm start` does, with the services that run already. */
async function startAgain(settings: Readonly<Record<string, string>> = {}) {
  const stops: (() => Promise<unknown>)[] = [];
  const config = loadConfig({ SANDBOX: 'on', ...settings });
  const receiver = await startReceiver(config, folder, (stop) => stops.push(stop));
  const access = await registerReceiver(receiver, api.broker, config, folder);
  writePrivate(runFile, JSON.stringify({ pid: process.pid, url: api.url, webhooks: [], receiver: access }));
  const stop = async () => {
    rmSync(runFile, { force: true });
    for (const end of stops.splice(0)) await end();
  };
  t.teardown(stop);
  return { access, settings: receiver?.settings, stop };
}

/** `npm run listen` with some arguments, and its output so far. */
function listen(t: Test, args: readonly string[], data = folder) {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../stack/commands/listen.ts'), ...args],
    { env: { ...process.env, DATA_DIR: data }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.teardown(() => child.kill('SIGKILL'));
  const seen = { out: '', notes: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    seen.notes += text;
  });
  const ended = once(child, 'close').then(([code]) => z.int().parse(code));
  const prints = async (text: string | RegExp) =>
    await until(
      () => seen.out.match(text) !== null,
      () => `prints ${text}\n${seen.out}${seen.notes}`,
    );
  const notes = async (text: string | RegExp) =>
    await until(
      () => seen.notes.match(text) !== null,
      () => `notes ${text}\n${seen.notes}`,
    );
  return { child, seen, ended, prints, notes };
}

/** The endpoint of an application on this machine. */
async function application(t: Test) {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(202).end('x'.repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return { to: `http://localhost:${port}/hooks?a=1`, received };
}

const entriesOf = (id: string) =>
  api.database.query<{ action: string; actor: string }>(
    'select action, actor from auth.audit_entry where subject_id = $1 order by at, id',
    [id],
  );

t.test('the endpoint is registered once, and its secret is kept over starts', async (t) => {
  const first = await startAgain();
  t.strictSame(first.settings, { WEBHOOK_ENDPOINT_ORIGINS: [origin] });
  const [endpoint, ...others] = await endpoints();
  t.strictSame(others, []);
  t.match(endpoint, { enabled: true, disabled_reason: null, url: new RegExp(`^${origin}/[0-9a-f-]{36}$`) });
  t.equal(first.access?.note, null);
  for (const file of [runFile, join(folder, 'receiver.json')]) t.equal(statSync(file).mode & 0o777, 0o600);
  await first.stop();
  const second = await startAgain();
  t.strictSame(
    (await endpoints()).map(({ id }) => id),
    [endpoint?.id],
  );
  t.equal(second.access?.secret, first.access?.secret);
  t.not(second.access?.token, first.access?.token);
  const actor = 'system:sandbox';
  t.strictSame(await entriesOf(endpoint?.id ?? ''), [
    { action: 'webhook_endpoint.created', actor },
    { action: 'webhook_endpoint.tested', actor },
    { action: 'webhook_endpoint.tested', actor },
  ]);
  await second.stop();
});

t.test(
  'a crash before the secret is kept, and a rotation by somebody else, lead to a new secret',
  async (t) => {
    const first = await startAgain();
    await first.stop();
    const file = join(folder, 'receiver.json');
    const kept = z.looseObject({}).parse(JSON.parse(readFileSync(file, 'utf8')));
    writeFileSync(file, JSON.stringify({ ...kept, secret: null, database: null }));
    const second = await startAgain();
    t.not(second.access?.secret, first.access?.secret);
    await second.stop();
    const [endpoint] = await endpoints();
    const endpoint_id = endpoint?.id ?? '';
    await api.call('webhooks.rotateSecret', { endpoint_id });
    await api.database.query('update webhooks.endpoint set former_until = now() where id = $1', [
      endpoint_id,
    ]);
    const third = await startAgain();
    t.not(third.access?.secret, second.access?.secret);
    t.match(await api.call('webhooks.testEndpoint', { endpoint_id }), { status: 'delivered' });
    t.equal((await endpoints()).length, 1);
    await third.stop();
  },
);

t.test('an endpoint that the operator disabled stays disabled, an automatic disabling ends', async (t) => {
  const endpoint_id = (await endpoints())[0]?.id ?? '';
  await api.call('webhooks.updateEndpoint', { endpoint_id, enabled: false });
  const disabled = await startAgain();
  t.match(disabled.access?.note, /is disabled/);
  t.match(await endpoints(), [{ enabled: false }]);
  await disabled.stop();
  await api.database.query(
    `update webhooks.endpoint set disabled_reason = 'failing', failing_since = now() where id = $1`,
    [endpoint_id],
  );
  const failing = await startAgain();
  t.equal(failing.access?.note, null);
  t.match(await endpoints(), [{ enabled: true, disabled_reason: null, failing_since: null }]);
  await failing.stop();
});

t.test('an endpoint that the operator deleted is registered again in another database only', async (t) => {
  await api.call('webhooks.removeEndpoint', { endpoint_id: (await endpoints())[0]?.id ?? '' });
  const deleted = await startAgain();
  t.match(deleted.access?.note, /was deleted/);
  t.strictSame(await endpoints(), []);
  await deleted.stop();
  const file = join(folder, 'receiver.json');
  const kept = z.looseObject({}).parse(JSON.parse(readFileSync(file, 'utf8')));
  writeFileSync(file, JSON.stringify({ ...kept, database: 'another' }));
  const elsewhere = await startAgain();
  t.equal(elsewhere.access?.note, null);
  t.equal((await endpoints()).length, 1);
  await elsewhere.stop();
});

t.test('a setting, or no sandbox, turns the receiver off and removes its endpoint', async (t) => {
  const off = await startAgain({ SANDBOX_RECEIVER: 'off' });
  t.strictSame([off.access, off.settings, await endpoints()], [null, undefined, []]);
  const { ended, seen } = listen(t, []);
  t.equal(await ended, 1);
  t.match(seen.notes, /^What runs has no webhook receiver: .*SANDBOX_RECEIVER=off/);
  for (const settings of [
    { SANDBOX: 'off' },
    { DEVICEMAKER_CLIENT_ID: 'x', SANDBOX: 'auto' },
    { SERVICES: 'auth' },
  ])
    t.equal((await startAgain(settings)).access, null, JSON.stringify(settings));
});

t.test('prints, filters and forwards messages, also after a restart', async (t) => {
  const first = await startAgain();
  const app = await application(t);
  const external_user_id = 'listen-1';
  const userId = await createUser(api, { external_user_id });
  const all = listen(t, ['--last', '100']);
  const filtered = listen(t, [
    '--json',
    '--type',
    'test.*,user.*',
    '--user',
    external_user_id,
    '--last',
    '100',
  ]);
  const forwarding = listen(t, ['--to', app.to, '--type', 'user.*', '--last', '100']);
  await all.prints(/^\d\d:\d\d:\d\d {2}test\.ping .* verified$/m);
  await all.prints(/^\d\d:\d\d:\d\d {2}user\.created +listen-1 {2}#1 {2}verified$/m);
  await forwarding.prints(/^ +202 {2}POST http:\/\/localhost:\d+\/hooks {2}\d+ ms {2}[0-9a-f-]{36}$/m);
  t.match(forwarding.seen.notes, /forwarded to http:\/\/localhost.*\n.*--print-secret prints/);
  t.notMatch(forwarding.seen.notes, 'whsec_', 'the error output is no terminal');
  await filtered.prints('user.created');

  await first.stop();
  await all.notes('The connection to `npm start` ended.');
  const second = await startAgain();
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await all.prints(/user\.deleted +[0-9a-f-]{36} {2}#\d+ {2}verified/);
  await filtered.notes('Connected again.');
  await until(() => app.received.length === 2);

  const types = app.received.map(({ headers, body }) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    t.match(headers, { 'content-type': 'application/json', 'user-agent': 'pulsebus' });
    return z.object({ type: z.string() }).parse(new Webhook(first.access?.secret ?? '').verify(body, given))
      .type;
  });
  t.strictSame(types, ['user.created', 'user.deleted']);
  const [json = '', ...rest] = filtered.seen.out.trim().split('\n');
  t.match(JSON.parse(json), { type: 'user.created', data: { external_user_id } });
  t.strictSame(rest, [], 'a test has no user, and a deleted one no external id');
  t.notMatch(all.seen.out, '\u001b', 'no colours outside of a terminal');
  for (const [one, signal] of [
    [all, 'SIGINT'],
    [filtered, 'SIGTERM'],
    [forwarding, 'SIGINT'],
  ] as const) {
    one.child.kill(signal);
    t.equal(await one.ended, 0);
  }
  await second.stop();
});

t.test('a dead address is reported and ends nothing', async (t) => {
  const { access, stop } = await startAgain();
  const { prints, child, ended } = listen(t, ['--to', 'http://127.0.0.1:1/', '--last', '5']);
  await prints(/not delivered: ECONNREFUSED {2}POST http:\/\/127\.0\.0\.1:1\//);
  const ping = await api.call('webhooks.testEndpoint', { endpoint_id: (await endpoints())[0]?.id ?? '' });
  await prints(ping.id);
  child.kill('SIGINT');
  t.equal(await ended, 0);
  const counted = listen(t, ['--to', 'http://127.0.0.1:1/', '--last', '100', '--count', '1', '--json']);
  t.equal(await counted.ended, 0);
  t.equal(counted.seen.out.split('\n').length, 2, 'one line');
  t.match(counted.seen.notes, 'ECONNREFUSED');
  const secret = listen(t, ['--print-secret']);
  t.equal(await secret.ended, 0);
  t.equal(secret.seen.out, `${access?.secret}\n`);
  await stop();
});

t.test('prints a sentence and exits 1 if nothing runs, and 2 for wrong arguments', async (t) => {
  const nothing = listen(t, [], join(folder, 'other'));
  t.equal(await nothing.ended, 1);
  t.match(nothing.seen.notes, /^Nothing runs with DATA_DIR .*: run `npm start` first, or set DATA_DIR\.\n$/);
  const help = listen(t, ['--help']);
  t.equal(await help.ended, 0);
  t.match(help.seen.out, /^usage: npm run listen/);
  const wrong = listen(t, ['--to', 'https://app.example/hook']);
  t.equal(await wrong.ended, 2);
  t.match(wrong.seen.notes, /^--to must be an http address of this machine[^\n]*\n$/);
});
