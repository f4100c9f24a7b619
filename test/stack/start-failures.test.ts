import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkListening, checkMetricsPorts, sentenceOf } from '../../stack/machine/listening.ts';
import { misspeltSettings } from '../../stack/machine/misspelt-settings.ts';
import { waitUntil } from '../../stack/machine/processes.ts';
import { checkServers } from '../../stack/machine/reachable.ts';
import { startErrorOf } from '../../stack/machine/start-error.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { takeDataDir } from '../../stack/servers/data-dir.ts';
import { adminUrl, natsUrl } from '../support/servers/database.ts';

const patienceMs = 60_000;
const root = join(import.meta.dirname, '../..');

function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-start-'));
  chmodSync(folder, 0o711);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `start.ts` with some settings, as `npm start` does. */
function spawnStart(t: Test, settings: NodeJS.ProcessEnv): { child: ChildProcess; output(): string } {
  const { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE, PORT: '0', SANDBOX: 'off', ...settings };
  const child = spawn(process.execPath, [join(root, 'start.ts')], { cwd: root, env });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return { child, output: () => output };
}

/** A start that ends by itself: what it said, without a stack trace. */
async function failedStart(t: Test, settings: NodeJS.ProcessEnv): Promise<string> {
  const { child, output } = spawnStart(t, settings);
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.notMatch(output(), /^ +at /m, 'no stack trace');
  return output().trim();
}

/** A port of this machine that is taken until the test ends. */
async function takenPort(t: Test): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

t.test('a used port is reported before a database is created', async (t) => {
  const folder = makeFolder(t);
  const port = await takenPort(t);
  const said = await failedStart(t, { DATA_DIR: join(folder, 'data'), PORT: String(port) });
  t.match(
    said,
    new RegExp(
      `^PORT: another program listens on 127.0.0.1:${port}. End it, or set .*: PORT=\\d+ npm start$`,
    ),
  );
  t.notOk(existsSync(join(folder, 'data/postgres')));
  t.notOk(existsSync(join(folder, 'data/process.lock')), 'and the folder is free again');
});

t.test('a used METRICS_PORT is reported before a database is created', async (t) => {
  const folder = makeFolder(t);
  const port = await takenPort(t);
  const said = await failedStart(t, { DATA_DIR: join(folder, 'data'), METRICS_PORT: String(port) });
  t.match(
    said,
    new RegExp(
      `^METRICS_PORT: another program listens on 127.0.0.1:${port}. End it, or set .*: METRICS_PORT=\\d+ npm start$`,
    ),
  );
  t.notOk(existsSync(join(folder, 'data/postgres')));
});

t.test('a port for metrics that is that of the gateway is refused', async (t) => {
  await t.rejects(
    checkMetricsPorts('127.0.0.1', [47_001, 47_002], [47_000, 47_002]),
    /^METRICS_PORT: 47002 is also a port of the gateway\. Set METRICS_PORT to another one\.$/,
  );
  await checkMetricsPorts('127.0.0.1', [0], [0]);
});

t.test('an unusable address or name of HOST is reported', async (t) => {
  await t.rejects(checkListening('192.0.2.1', [0]), /^HOST: 192\.0\.2\.1 is not an address of this machine/);
  await t.rejects(checkListening('no such name', [0]), /^HOST: no such name is not an address, and no name /);
});

t.test('a port below 1024 is reported with the reason and a usable port', async (t) => {
  t.match(
    sentenceOf('EACCES', '127.0.0.1', 80, 1024),
    /^PORT: .* may not listen on 80: .* PORT=1024 npm start$/,
  );
});

t.test('a database that does not answer is named without its password', async (t) => {
  const data = join(makeFolder(t), 'data');
  const said = await failedStart(t, {
    DATA_DIR: data,
    DATABASE_URL: 'postgres://me:hidden@127.0.0.1:9/mine',
  });
  t.match(
    said,
    /^DATABASE_URL: PostgreSQL does not answer at 127\.0\.0\.1:9 \(ECONNREFUSED\)\. Start it there, /,
  );
  t.notMatch(said, 'hidden');
  const wrong = new URL(adminUrl());
  wrong.password = 'hidden';
  await t.rejects(checkServers({ DATABASE_URL: wrong.href, NATS_URL: undefined }), {
    message: `DATABASE_URL: ${wrong.host} refuses the password of user ${wrong.username}.`,
  });
  const missing = new URL(adminUrl());
  missing.pathname = '/nowhere';
  await t.rejects(
    checkServers({ DATABASE_URL: missing.href, NATS_URL: undefined }),
    /has no database nowhere/,
  );
});

t.test('a bus that does not answer is named without its password', async (t) => {
  await t.rejects(checkServers({ DATABASE_URL: undefined, NATS_URL: 'nats://me:hidden@127.0.0.1:9' }), {
    name: 'StartError',
    message:
      'NATS_URL: NATS does not answer at 127.0.0.1:9 (CONNECTION_REFUSED). Start it there, or unset NATS_URL: npm start runs a server of its own.',
  });
  const wrong = new URL(natsUrl());
  wrong.password = 'hidden';
  await t.rejects(checkServers({ DATABASE_URL: undefined, NATS_URL: wrong.href }), {
    message: `NATS_URL: ${wrong.host} refuses the user and password, or the token.`,
  });
  await checkServers({ DATABASE_URL: adminUrl(), NATS_URL: natsUrl() });
});

t.test('a data folder that cannot be written names DATA_DIR', async (t) => {
  const file = join(makeFolder(t), 'file');
  writeFileSync(file, '');
  t.throws(() => takeDataDir(join(file, 'data'), 0), {
    name: 'StartError',
    message: /^DATA_DIR: .*\/data cannot be used: a part of the path is not a folder \(ENOTDIR\)\. Make it /,
  });
  t.throws(() => takeDataDir('/sys/data', 0), { message: /^DATA_DIR: \/sys\/data cannot be used: / });
});

t.test('services that do not exist are named, and those that do', async (t) => {
  t.throws(() => loadServices(['summery']), {
    name: 'StartError',
    message: /^SERVICES: there is no service summery\. The services are activitynet-ingest, /,
  });
});

t.test('misspelt settings are named with the nearest, and others are left alone', async (t) => {
  const warnings = misspeltSettings({
    SANBOX: 'off',
    log_level: 'info',
    PULSEBUS_PORT: '1',
    DEVICEMAKER_SECRET_ID: 'x',
    DATABASE_URI: 'x',
    POST: '1',
    ...{ PORT: '1', HOME: '/', PATH: '/', PWD: '/', USER: 'me', HOSTNAME: 'x', NODE_ENV: 'test', LANG: 'C' },
  });
  const saying = (name: string, meant: string) =>
    `${name} is not a setting, and is ignored. Did you mean ${meant}?`;
  t.strictSame(warnings, [
    saying('SANBOX', 'SANDBOX'),
    saying('log_level', 'LOG_LEVEL'),
    saying('PULSEBUS_PORT', 'PORT'),
    'DEVICEMAKER_SECRET_ID is not a setting, and is ignored.',
    saying('DATABASE_URI', 'DATABASE_URL'),
    saying('POST', 'PORT'),
  ]);
});

t.test('a full disk is reported with the folder', async (t) => {
  const advice = 'Free some space, or set DATA_DIR to a folder on another disk.';
  const message = `DATA_DIR: /data cannot be used: the disk is full (ENOSPC). ${advice}`;
  const failures = [
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    Object.assign(new Error('could not extend file'), { code: '53100' }),
    new Error('initdb failed: could not create directory: No space left on device'),
  ];
  for (const failure of failures) t.match(startErrorOf(failure, '/data'), { name: 'StartError', message });
  const mistake = new TypeError('No space left on device');
  t.equal(startErrorOf(mistake, '/data'), mistake, 'a mistake in the program keeps its stack trace');
  const folder = makeFolder(t);
  t.throws(() => takeDataDir(join(folder, 'data'), 2 ** 40), {
    message: /^DATA_DIR: the disk of .* has \d+ MB left, and at least \d+ MB are needed\. Free some space/,
  });
  t.notOk(existsSync(join(folder, 'data/process.lock')));
});

/** Runs a command of package.json. */
async function command(name: string, settings: NodeJS.ProcessEnv, ...args: string[]) {
  const { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE, ...settings };
  const child = spawn(process.execPath, [join(root, `stack/commands/${name}.ts`), ...args], {
    cwd: root,
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  return { code: Number(code), output };
}

/** Starts and waits for the start page. */
async function running(t: Test, settings: NodeJS.ProcessEnv) {
  const started = spawnStart(t, settings);
  while (!started.output().includes('Pulsebus is running')) {
    if (started.child.exitCode !== null) throw new Error(started.output());
    await once(started.child.stdout ?? started.child, 'data');
  }
  return started;
}

t.test('a start, the commands beside it, and its end', async (t) => {
  const data = join(makeFolder(t), 'data');
  mkdirSync(data, { mode: 0o711 });
  writeFileSync(join(data, 'sandbox.json'), '{');
  const settings = { DATA_DIR: data, SANBOX: 'on', SANDBOX: 'on', WORKERS: '2' };
  const { child, output } = await running(t, settings);

  await t.test('a sandbox that cannot start and a misspelt setting do not stop the rest', async (t) => {
    t.match(output(), /^The sandbox is not started: .*JSON.*\. Everything else works; /m);
    t.match(output(), 'Warning: SANBOX is not a setting, and is ignored. Did you mean SANDBOX?');
  });

  await t.test('a second start names the process that uses the folder', async (t) => {
    const notes = readFileSync(join(data, 'servers.json'), 'utf8');
    const said = await failedStart(t, { DATA_DIR: data });
    const { pid } = child;
    t.match(
      said,
      `DATA_DIR: process ${pid} runs with ${data}. Stop it first (kill ${pid}), or set DATA_DIR and`,
    );
    t.equal(readFileSync(join(data, 'servers.json'), 'utf8'), notes, 'the first is left alone');
  });

  await t.test('the generated password is shown until it is replaced', async (t) => {
    const password = /admin@example\.com {2}(\S{20})$/m.exec(output())?.[1];
    const shown = await command('admin-password', { DATA_DIR: data });
    t.strictSame(shown, { code: 0, output: `admin@example.com  ${password}\n` });
    t.match(await command('reset-password', { DATA_DIR: data }, 'me@example.com'), {
      code: 1,
      output: 'There is no account me@example.com. The accounts are admin@example.com.',
    });
    const reset = await command('reset-password', { DATA_DIR: data });
    t.match(reset, { code: 0, output: /^admin@example\.com {2}\S{20}\nIts sessions ended\.$/m });
    t.not(reset.output, shown.output);
    const gone = await command('admin-password', { DATA_DIR: data });
    t.match(gone, { code: 1, output: /^No generated password is kept in .*reset-password/m });
    t.notOk(existsSync(join(data, 'first-login.json')));
  });

  await t.test('a start goes on after its database and its bus were killed', async (t) => {
    const url = /API +(\S+)\/api\/v1/.exec(output())?.[1] ?? '';
    const isReady = () =>
      fetch(`${url}/api/v1/ready`)
        .then(({ ok }) => ok)
        .catch(() => false);
    t.ok(await waitUntil(isReady, patienceMs));
    for (const file of ['postgres/postmaster.pid', 'nats/nats.pid']) {
      const killed = Number(readFileSync(join(data, file), 'utf8').split('\n')[0]);
      process.kill(killed, 'SIGKILL');
      // A server that starts removes the file of the former one, and writes its own.
      const pid = () =>
        readFile(join(data, file), 'utf8').then(
          (text) => Number(text.split('\n')[0]),
          () => killed,
        );
      const isOther = async () => (await pid()) !== killed && (await isReady());
      t.ok(await waitUntil(isOther, patienceMs), file);
    }
    t.match(output(), /^PostgreSQL ended by itself.* It is started again /m);
    t.match(output(), /^NATS ended by itself.* It is started again /m);
  });

  await t.test('Ctrl-C is explained', async (t) => {
    child.kill('SIGINT');
    child.kill('SIGINT');
    t.strictSame(await once(child, 'close'), [0, null]);
    const lines = output().slice(output().indexOf('SIGINT')).trim().split('\n');
    t.strictSame(
      lines.filter((line) => !/^\[[^\]]+\] (?:WARN|ERROR) /.test(line)),
      [
        'SIGINT: stopping. Requests in work are answered first.',
        'Stopped. The data is kept for the next start.',
      ],
      'a job that is in work may complain that its call or its bus was cut off',
    );
    t.notOk(existsSync(join(data, 'process.lock')));
  });

  await t.test('a command starts the servers where none run', async (t) => {
    t.match(await command('reset-password', { DATA_DIR: data }), { code: 0 });
    t.notOk(existsSync(join(data, 'process.lock')));
  });
});
