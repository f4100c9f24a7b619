import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { loadConfig } from '../../config.ts';
import { providers } from '../../providers/all.ts';
import { generatedSecrets } from '../../stack/database/secrets.ts';
import { notesOn, writeRunFile } from '../../stack/processes/prepare.ts';
import { startPage } from '../../stack/sandbox/start-page.ts';
import { takeDataDir } from '../../stack/servers/data-dir.ts';

const root = join(import.meta.dirname, '../..');

const webhookSecretNames = Object.values(providers).flatMap(({ names }) =>
  names === null || names.webhookSecrets === null ? [] : [names.webhookSecrets],
);

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'pulsebus-secrets-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

t.test('secrets are generated once, readable by the owner of the folder only', async (t) => {
  const dir = folder(t);
  const made = generatedSecrets(dir);
  t.strictSame(generatedSecrets(dir), made);
  t.equal(new Set(Object.values(made)).size, 2 + webhookSecretNames.length);
  t.equal(statSync(join(dir, 'secrets.json')).mode & 0o777, 0o600);
  for (const secret of Object.values(made)) t.match(secret, /^[0-9a-f]{64}$/);
});

t.test('a file of an earlier version keeps its secrets and gets the webhook secrets', async (t) => {
  const dir = folder(t);
  const old = { JWT_SECRET: 'j'.repeat(64), ENCRYPTION_KEY: 'e'.repeat(64) };
  writeFileSync(join(dir, 'secrets.json'), JSON.stringify(old));
  const made = generatedSecrets(dir);
  t.match(made, { ...old, WEBHOOK_SECRET_DEVICEMAKER: /^[0-9a-f]{64}$/ });
  t.strictSame(JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')), made);
  writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ ...made, NOT_USED_ANY_MORE: 'n'.repeat(64) }));
  t.strictSame(generatedSecrets(dir), made, 'one that is not used any more is ignored');
});

const secret = 'a_secret-of-the-tests-with-32-characters';

t.test('a webhook secret is at least 32 characters that are the same in every URL', async (t) => {
  const load = (text: string) => loadConfig({ WEBHOOK_SECRET_DEVICEMAKER: text });
  t.strictSame(load(`${secret}, ${secret}2`).WEBHOOK_SECRET_DEVICEMAKER, [secret, `${secret}2`]);
  for (const bad of ['short', secret.replace('_', '/'), secret.replace('_', '%'), `${secret},x`])
    t.throws(() => load(bad), /WEBHOOK_SECRET_DEVICEMAKER/);
  const senders = (text: string) => loadConfig({ WEBHOOK_SENDERS_ACTIVITYNET: text });
  t.strictSame(senders('192.0.2.1,2001:db8::/32').WEBHOOK_SENDERS_ACTIVITYNET, [
    '192.0.2.1',
    '2001:db8::/32',
  ]);
  for (const bad of ['192.0.2', '192.0.2.1/33', 'example.com'])
    t.throws(() => senders(bad), /WEBHOOK_SENDERS_ACTIVITYNET: must be/);
});

t.test('a command shows the addresses to register, and the start page names it', async (t) => {
  const config = loadConfig({
    WEBHOOK_SECRET_DEVICEMAKER: secret,
    WEBHOOK_SECRET_ACTIVITYNET: `${secret},x${secret}`,
  });
  const url = 'http://127.0.0.1:3000';
  const addresses = [
    `${url}/api/v1/webhooks/devicemaker/push/${secret}`,
    `${url}/api/v1/webhooks/devicemaker/ping/${secret}`,
    `${url}/api/v1/webhooks/activitynet/webhook/${secret}`,
  ];
  const login = {
    email: 'developer@example.com',
    password: null,
    isShownByCommand: false,
    isSettingIgnored: false,
  };
  const page = startPage({
    ...{ url, login, signInUrl: null, choice: 'tests', dataDir: '.data', notes: [], isListenable: false },
    ...{ hasSandbox: false, example: null },
  });
  t.equal(page.match(/npm run -s webhook-addresses/g)?.length, 1);
  t.notMatch(page, secret);
  t.ok(page.indexOf('First calls') < page.indexOf('npm run -s webhook-addresses'), 'the calls come first');

  const path = folder(t);
  const show = () =>
    promisify(execFile)(process.execPath, [join(root, 'stack/commands/webhook-addresses.ts')], {
      env: { ...process.env, DATA_DIR: path },
    });
  await t.rejects(show(), /Nothing runs here/);
  const { release } = takeDataDir(path, 0);
  t.teardown(release);
  const stack = {
    dataDir: path,
    natsUrl: null,
    databaseUrl: 'postgres://nowhere/',
    choice: '',
    stop: release,
  };
  writeRunFile({ config, stack: { ...stack, timescale: true }, login }, url, null);
  t.equal((await show()).stdout, `${addresses.join('\n')}\n`);
});

t.test('the start page warns of plain addresses once a provider is configured', async (t) => {
  const secrets = Object.fromEntries(webhookSecretNames.map((name) => [name, secret]));
  const real = { ...secrets, DEVICEMAKER_CLIENT_ID: 'x', DEVICEMAKER_CLIENT_SECRET: 'x' };
  const warning = /WARNING: anybody can post webhooks of Garmin/;
  t.match(notesOn(loadConfig(real), false).join('\n'), warning);
  t.strictSame(notesOn(loadConfig({ ...real, WEBHOOK_PLAIN: 'false' }), false), []);
  t.strictSame(notesOn(loadConfig(real), true), [], 'the sandbox is no real provider');
  t.notMatch(notesOn(loadConfig(secrets), false).join('\n'), /WARNING/);
  const unset = notesOn(loadConfig({ DEVICEMAKER_CLIENT_ID: 'x' }), false);
  t.match(unset, [/WEBHOOK_SECRET_DEVICEMAKER is not set/, /WEBHOOK_SECRET_ACTIVITYNET is not set/]);
});
