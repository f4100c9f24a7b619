import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectNats } from 'nats';
import t, { type Test } from 'tap';
import { withClient } from '../../stack/database/create-database.ts';
import { commandLine, signal, waitUntil } from '../../stack/machine/processes.ts';
import { type Stack, startStack } from '../../stack/servers/stack.ts';
import type { StackOptions } from '../../stack/servers/stack-options.ts';

const STOP_TIMEOUT_MS = 20_000;

/** One that several claims only look at: making a data folder takes a second. */
const shared = start(t);

/** Another process with its own stack; resolves when it is ready. */
const STAY = `
  const { startStack } = await import(${JSON.stringify(import.meta.resolve('../../stack/servers/stack.ts'))});
  const { withClient } = await import(${JSON.stringify(import.meta.resolve('../../stack/database/create-database.ts'))});
  const [dataDir] = process.argv.slice(1);
  const stackDir = process.env.STACK_DIR;
  const stack = await startStack({ dataDir, log() {}, ...(stackDir ? { stackDir } : {}) });
  await withClient(stack.databaseUrl, (client) => client.query('create table note as select 7 as number'));
  setInterval(() => {}, 60_000);
  console.log('ready');
`;

t.test('starts TimescaleDB and NATS, stops both, and removes the folder of an ephemeral stack', async (t) => {
  const stack = await start(t, { ephemeral: true });
  await query(stack.databaseUrl, 'create table sample (ts timestamptz not null, value float8)');
  await query(stack.databaseUrl, "select create_hypertable('sample', by_range('ts'))");
  const hypertables = await query(
    stack.databaseUrl,
    'select hypertable_name from timescaledb_information.hypertables',
  );
  t.strictSame(hypertables, [{ hypertable_name: 'sample' }]);
  t.equal(stack.timescale, true);
  t.match(stack.choice, /TimescaleDB, and NATS, from Debian packages/);
  const bus = await natsOf(stack);
  t.equal(await bus.rtt().then(() => 'answered'), 'answered');
  await bus.close();
  const pids = pidsOf(stack);
  await stack.stop();
  t.strictSame(pids.map(commandLine), [null, null]);
  t.equal(statSync(stack.dataDir, { throwIfNoEntry: false }), undefined);
  await stack.stop(); // again: nothing left to do
});

t.test('one data folder', async (t) => {
  const dataDir = makeFolder(t);
  const note = async (t: Test, stack: Stack) =>
    t.strictSame(await query(stack.databaseUrl, 'select number from note'), [{ number: 7 }]);

  await t.test('servers end with a killed process, and the next start finds the data', async (t) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', STAY, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const pids = pidsOf({ dataDir });
    signal(child.pid ?? 0, 'SIGKILL');
    const ended = await waitUntil(() => pids.every((pid) => commandLine(pid) === null), STOP_TIMEOUT_MS);
    t.equal(ended, true);
    const stack = await start(t, { dataDir });
    await note(t, stack);
  });

  await t.test('a second start finds its data on the same port', async (t) => {
    const first = await start(t, { dataDir });
    await first.stop();
    const second = await start(t, { dataDir });
    await note(t, second);
    t.equal(second.databaseUrl, first.databaseUrl);
  });

  await t.test('a pid file with the id of another process does not prevent a start', async (t) => {
    const first = await start(t, { dataDir });
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await first.stop();
    writeFileSync(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'));
    writeFileSync(join(dataDir, 'nats/nats.pid'), String(process.pid));
    await note(t, await start(t, { dataDir }));
  });

  await t.test('data of TimescaleDB is not opened without it', async (t) => {
    await t.rejects(start(t, { dataDir, ...withoutDebian(t) }), /needs TimescaleDB/);
  });
});

t.test(
  'two starts of one folder share the servers, and the one that shares leaves them running',
  async (t) => {
    const dataDir = makeFolder(t);
    const [one, other] = await Promise.all([start(t, { dataDir }), start(t, { dataDir })]);
    t.equal(one.databaseUrl, other.databaseUrl);
    const sharer = one.choice.startsWith('The servers of the start that runs already.') ? one : other;
    await sharer.stop();
    t.strictSame(await query(one.databaseUrl, 'select 1 as one'), [{ one: 1 }]);
  },
);

t.test('the database refuses a wrong password; other system users cannot read the right one', async (t) => {
  const stack = await shared;
  const wrong = new URL(stack.databaseUrl);
  wrong.password = 'guess';
  await t.rejects(query(wrong.href, 'select 1'), { code: '28P01' });
  const superuser = new URL(stack.databaseUrl);
  superuser.username = 'postgres';
  for (const password of ['', superuser.password]) {
    superuser.password = password;
    await t.rejects(query(superuser.href, 'select 1'), /password/, 'the superuser has another one');
  }
  const url = new URL(stack.natsUrl ?? '');
  await t.rejects(connectNats({ servers: url.host, reconnect: false }), { code: 'AUTHORIZATION_VIOLATION' });
  const secrets = [
    'database-password',
    'superuser-password',
    'servers.json',
    'nats/nats.conf',
    'postgres.log',
  ];
  const modes = secrets.map((name) => statSync(join(stack.dataDir, name)).mode & 0o777);
  t.strictSame(modes, [0o600, 0o600, 0o600, 0o600, 0o600]);
});

t.test('servers that are killed are started again where they were, with what they held', async (t) => {
  const said: string[] = [];
  const stack = await start(t, { log: (line) => said.push(line), serverEnded: (line) => t.fail(line) });
  await query(stack.databaseUrl, 'create table note as select 7 as number');
  const pids = pidsOf(stack);
  for (const pid of pids) signal(pid, 'SIGKILL');
  const answers = async () => {
    const rows = await query(stack.databaseUrl, 'select number from note');
    const bus = await natsOf(stack);
    await bus.close();
    return rows.length === 1;
  };
  t.ok(await waitUntil(() => answers().catch(() => false), STOP_TIMEOUT_MS));
  t.strictSame(
    ['PostgreSQL', 'NATS'].filter((name) => !said.some((line) => line.startsWith(`${name} ended by itself`))),
    [],
  );
  const again = pidsOf(stack);
  t.strictSame(
    again.filter((pid) => pids.includes(pid) || commandLine(pid) === null),
    [],
  );
  await stack.stop();
  t.strictSame(again.map(commandLine), [null, null], 'and stop with the others');
});

t.test('a server that cannot be started again is given up, with the reason', async (t) => {
  const ended = Promise.withResolvers<string>();
  const stack = await start(t, { restartPausesMs: [1, 1], serverEnded: ended.resolve });
  const [pid = 0] = pidsOf(stack);
  rmSync(join(stack.dataDir, 'postgres/global/pg_control'));
  signal(pid, 'SIGKILL');
  t.match(await ended.promise, /^PostgreSQL did not start:(.|\n)*pg_control/);
});

t.test('given servers are used and keep running after a stop', async (t) => {
  const { databaseUrl, natsUrl } = await shared;
  const stack = await start(t, { databaseUrl, ...(natsUrl === null ? {} : { natsUrl }) });
  t.match(stack, { databaseUrl, natsUrl, timescale: true, choice: 'DATABASE_URL and NATS_URL as given.' });
  await stack.stop();
  t.strictSame(await query(databaseUrl, 'select 1 as one'), [{ one: 1 }]);
});

t.test('with DATABASE_URL set, a bus is still started', async (t) => {
  const { databaseUrl } = await shared;
  const stack = await start(t, { databaseUrl });
  t.equal(stack.databaseUrl, databaseUrl);
  t.match(stack.natsUrl, /^nats:/);
  t.throws(() => statSync(join(stack.dataDir, 'postgres')), { code: 'ENOENT' });
});

t.test('without the Debian packages: plain PostgreSQL, no bus, and the reason', async (t) => {
  const stack = await start(t, withoutDebian(t));
  t.match(stack, { natsUrl: null, timescale: false });
  t.match(stack.choice, /from npm, without TimescaleDB, .* cannot be used here \(.*apt-get failed/);
  t.strictSame(await query(stack.databaseUrl, 'select 1 as one'), [{ one: 1 }]);
});

t.test('refuses programs from a folder that others can write to', async (t) => {
  const stackDir = makeFolder(t);
  mkdirSync(stackDir);
  chmodSync(stackDir, 0o777);
  const { databaseUrl } = await shared;
  const stack = await start(t, { stackDir, databaseUrl });
  t.match(stack.choice, /is writable by other users/);
});

/** The superuser of a stack of ours. */
function superuserOf({ databaseUrl, dataDir }: Stack): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(dataDir, 'superuser-password'), 'utf8');
  return url.href;
}

const rights = `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
  pg_has_role('pulsebus', 'pg_signal_backend', 'member') as signals from pg_roles where rolname = 'pulsebus'`;
const none = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false };
const owners = "select pg_get_userbyid(datdba) as owner from pg_database where datname = 'pulsebus'";

t.test('the role of the services owns its database and has no other rights', async (t) => {
  const stack = await shared;
  t.strictSame(await query(stack.databaseUrl, rights), [{ ...none, rolbypassrls: false, signals: false }]);
  t.strictSame(await query(stack.databaseUrl, owners), [{ owner: 'pulsebus' }]);
  await t.rejects(query(stack.databaseUrl, 'create database other'), { code: '42501' });
  await t.rejects(query(stack.databaseUrl, "copy (select 1) to program 'true'"), { code: '42501' });
  t.strictSame(
    await query(superuserOf(stack), 'select rolsuper from pg_roles where rolname = current_user'),
    [{ rolsuper: true }],
  );
});

t.test('a folder of a release before 0.3.0 names the release that reads it', async (t) => {
  const dataDir = makeFolder(t);
  await (await start(t, { dataDir })).stop();
  rmSync(join(dataDir, 'superuser-password')); // earlier releases had one password for both roles
  await t.rejects(start(t, { dataDir }), { name: 'OlderRelease', message: /Start release 0\.3\.0/ });
});

/** Starts a stack and stops it with the test. */
async function start(t: Test, options: Partial<StackOptions> = {}): Promise<Stack> {
  const stackDir = process.env.STACK_DIR;
  const defaults = { dataDir: makeFolder(t), log: () => {}, ...(stackDir ? { stackDir } : {}) };
  const stack = await startStack({ ...defaults, ...options });
  t.teardown(() => stack.stop());
  return stack;
}

/** A folder that the servers' account can walk through. */
function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-stack-test-'));
  chmodSync(folder, 0o711);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

/** An empty folder of programs, and a mirror where nothing listens. */
function withoutDebian(t: Test): Partial<StackOptions> {
  return { stackDir: makeFolder(t), debianMirror: 'http://127.0.0.1:9/debian' };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows);
}

function natsOf(stack: Stack) {
  const { host, username, password } = new URL(stack.natsUrl ?? '');
  return connectNats({ servers: host, user: username, pass: password });
}

function pidsOf({ dataDir }: Pick<Stack, 'dataDir'>): number[] {
  const files = ['postgres/postmaster.pid', 'nats/nats.pid'];
  return files.map((name) => Number(readFileSync(join(dataDir, name), 'utf8').split('\n')[0]));
}
