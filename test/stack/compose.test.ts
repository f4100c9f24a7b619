import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { z } from 'zod';
import { bodyReaders, settingNames, sharedSecrets } from '../../config.ts';
import { withCredentials } from '../../domain/database-url.ts';
import { migrateUp } from '../../migrations/migrate.ts';
import { providers } from '../../providers/all.ts';
import { isSecretSetting, webhookSecretNames } from '../../runtime/provider-settings.ts';
import { signInSecrets } from '../../runtime/sign-in-settings.ts';
import { withClient } from '../../stack/database/create-database.ts';
import { grantRights } from '../../stack/database/grant-rights.ts';
import { roleOf, serviceRights } from '../../stack/database/service-rights.ts';
import { readComposed } from '../../stack/kubernetes/composed.ts';
import { run } from '../../stack/machine/processes.ts';
import { defaultStackDir } from '../../stack/machine/unprivileged.ts';
import { debianPrograms } from '../../stack/packages/debian-packages.ts';
import { loadServices, serviceNames } from '../../stack/processes/services.ts';
import { applicationLogLevel, quietLog } from '../../stack/servers/postgres-settings.ts';
import { startStack } from '../../stack/servers/stack.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const stackDir = process.env.STACK_DIR ?? defaultStackDir();
const root = join(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const compose = textOf('docker-compose.yml');
const settingsFile = 'stack/compose/provider-settings.gen.env';

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      mem_limit: z.string().optional(),
      pids_limit: z.int().optional(),
      cap_drop: z.array(z.string()).optional(),
      read_only: z.boolean().optional(),
      security_opt: z.array(z.string()).optional(),
      user: z.string().optional(),
      environment: z.record(z.string(), z.unknown()).optional(),
      env_file: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
    }),
  ),
});
const { services } = Compose.parse(parse(compose, { merge: true }));

/** The section of a container in docker-compose.yml. */
function container(name: string): string {
  return new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose)?.[1] ?? '';
}

/** Groups of secrets that a container can read, or write. */
function groupsOf(name: string, access: 'ro' | 'rw' = 'ro'): string[] {
  return (services[name]?.volumes ?? []).flatMap((volume) => {
    const [, folder = '', rights = 'rw'] = volume.split(':');
    return folder.startsWith('/run/secrets/') && rights === access ? [basename(folder)] : [];
  });
}

const allGroups = groupsOf('secrets', 'rw');

t.test('every service has a container and is scraped', async (t) => {
  for (const name of serviceNames) {
    t.match(container(name), new RegExp(`<<: \\*settings, SERVICES: ${name}[ ,]`), name);
    t.match(textOf('stack/compose/prometheus.gen.yml'), new RegExp(`^ +- ${name}$`, 'm'), name);
  }
});

t.test('every container has bounds and no capabilities', async (t) => {
  for (const [name, one] of Object.entries(services)) {
    t.match(one.mem_limit, /^(\$\{\w+:-)?\d+[mg]\}?$/, `${name}: memory`);
    t.ok(one.pids_limit !== undefined && one.pids_limit > 0, `${name}: processes`);
    t.same(one.cap_drop, ['ALL'], name);
    t.equal(one.read_only, true, name);
    t.same(one.security_opt, ['no-new-privileges:true'], name);
  }
  t.equal(services.database?.user, '70:70', 'the database does not run as root');
});

t.test('every setting reaches the containers, or has a reason not to', async (t) => {
  const passed = [...compose.matchAll(/^ {2}([A-Z0-9_]+): /gm)].map(([, name = '']) => name);
  const image = ['HOST', 'PORT', 'METRICS_PORT', 'LOG_FORMAT', 'DATA_DIR', 'IMPORT_DIR'];
  const secret = ['JWT_SECRET', 'ENCRYPTION_KEY', 'ADMIN_PASSWORD', ...signInSecrets];
  const entry = ['DATABASE_URL', 'DATABASE_READ_URL', 'NATS_URL', 'SERVICES'];
  const ofProviders = Object.values(providers).flatMap(({ settings }) => Object.keys(settings));
  const files = ofProviders.filter(isSecretSetting);
  const inherited = textOf(settingsFile)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  t.strictSame(
    inherited,
    ofProviders.filter((name) => !isSecretSetting(name)),
    'those of providers come from the environment of compose, by their names alone',
  );
  t.strictSame(
    serviceNames.filter((name) => services[name]?.env_file.includes(settingsFile) !== true),
    [],
  );
  const none = [
    'NATS_CA', // files of a bus of your own
    'NATS_CERT',
    'NATS_KEY',
    'CHECK_ANSWERS',
    'STACK_DIR',
    'DEBIAN_MIRROR',
    'SANDBOX_RECEIVER',
    'SANDBOX_SPEED',
    'SANDBOX_URL',
    'NAMESPACE',
  ];
  const known = [...passed, ...inherited, ...image, ...secret, ...files, ...entry, ...none];
  t.strictSame(
    settingNames.filter((name) => !known.includes(name)),
    [],
  );
  t.strictSame(
    passed.filter((name) => !settingNames.includes(name)),
    ['DATABASE_HOST', 'DATABASE_READ_HOST'], // of which container-entry.sh makes URLs
    'nor is there one of another name',
  );
  t.ok(settingNames.length > 50);
});

t.test('a secret is mounted where it is used, and nowhere else', async (t) => {
  const folders = { JWT_SECRET: 'sessions', ENCRYPTION_KEY: 'encryption' };
  for (const [secret, folder] of Object.entries(folders))
    t.strictSame(
      serviceNames.filter((name) => groupsOf(name).includes(folder)),
      [...(sharedSecrets[secret] ?? []), ...(secret === 'ENCRYPTION_KEY' ? bodyReaders : [])].sort(),
    );
  t.strictSame(groupsOf('migrate'), ['database', 'admin']);
  t.strictSame(groupsOf('database'), ['database', ...roleGroups, 'superuser', 'replication']);
  t.strictSame(groupsOf('standby'), ['replication']);
  for (const name of serviceNames) {
    const [volume, user] = [
      `database-${name}-secret:/run/secrets/database:ro`,
      `DATABASE_USER: ${roleOf(name)} }`,
    ];
    const hasRole = name in serviceRights;
    t.equal(container(name).includes(volume), hasRole, `${name} has the password of its role`);
    t.equal(container(name).includes(user), hasRole, `${name} uses it`);
    t.notOk(container(name).includes(`'database-secret:`), `${name} has no other`);
  }
  t.strictSame(
    serviceNames.filter((name) => groupsOf(name).includes('superuser')),
    [],
  );
  t.strictSame(
    serviceNames.filter((name) => groupsOf(name).includes('webhooks')),
    ['api-gateway', 'deliveries', 'pull-ingest'],
  );
  t.strictSame(
    serviceNames.filter((name) => groupsOf(name).includes('admin')),
    [],
  );
  t.strictSame(
    serviceNames.filter((name) => groupsOf(name).includes('sign-in')),
    ['auth'],
  );
  t.strictSame(
    Object.keys(services).flatMap((name) => groupsOf(name).filter((group) => !allGroups.includes(group))),
    [],
    'and can be put',
  );
});

for (const [secret, users] of Object.entries(sharedSecrets))
  t.test(`exactly the services that use ${secret} refuse to start without it`, async (t) => {
    const { url: databaseUrl } = await freshDatabase(t);
    const settings = { [secret]: '' };
    for (const name of users) {
      const services = await loadServices([name]);
      await t.rejects(startBroker(t, { databaseUrl, services, settings }), /is not set/, name);
    }
    const others = await loadServices(serviceNames.filter((name) => !users.includes(name)));
    await t.resolves(startBroker(t, { databaseUrl, services: others, settings }));
  });

const roleGroups = Object.keys(serviceRights).map((name) => `database_${name.replaceAll('-', '_')}`);

/** The folders of the image, whose owners new volumes take over: made as the Dockerfile makes them, for this account. */
async function makeFolders(t: Test): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-secrets-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [, command = 'false'] = /^RUN (sed .*\n.*install -d .*)$/m.exec(textOf('Dockerfile')) ?? [];
  const here = command
    .replaceAll('-o node -g node', '')
    .replace('xargs', `sed 's|^/run/secrets|${folder}|' | xargs`);
  await run('sh', ['-c', here], { cwd: root, env: { PATH: path, IMPORT_DIR: join(folder, 'imports') } });
  return folder;
}

const path = `${dirname(process.execPath)}:${process.env.PATH}`;

t.test('secrets are generated once and can be replaced', async (t) => {
  const folder = await makeFolders(t);
  const env = { PATH: path, SECRETS_DIR: folder };
  const secrets = (args: string, input = 'true') =>
    run('sh', ['-c', `${input} | '${join(root, 'stack/compose/container-secrets.sh')}' ${args}`], { env });
  await secrets('make');
  const made = await secrets('show encryption/ENCRYPTION_KEY');
  t.match(made, /^[0-9a-f]{64}$/);
  await secrets('make');
  t.equal(await secrets('show encryption/ENCRYPTION_KEY'), made);
  for (const name of webhookSecretNames)
    t.match(await secrets(`show webhooks/${name}`), /^[0-9a-f]{64}$/, name);
  t.equal(statSync(join(folder, 'bus/BUS_PASSWORD')).mode & 0o777, 0o444);
  await t.rejects(secrets('put providers/ACTIVITYNET_CLIENT_SECRET'), /nothing was given/);
  await secrets('put providers/ACTIVITYNET_CLIENT_SECRET', `printf %s "it's \\$1 #2"`);
  const shown = await run(join(root, 'stack/compose/container-entry.sh'), ['env'], { env });
  t.match(shown, `ENCRYPTION_KEY=${made}\n`);
  t.match(shown, "ACTIVITYNET_CLIENT_SECRET=it's $1 #2\n");
  t.match(shown, /DATABASE_URL=postgres:\/\/pulsebus:[0-9a-f]{64}@database:5432\/pulsebus\n/);
  t.notMatch(shown, 'DATABASE_READ_URL');
  const hosts = {
    DATABASE_HOST: 'a:5432,b:5432',
    DATABASE_READ_HOST: 'b:5432',
    DATABASE_USER: 'pulsebus_auth',
  };
  const replicated = await run(join(root, 'stack/compose/container-entry.sh'), ['env'], {
    env: { ...env, ...hosts },
  });
  t.match(replicated, /DATABASE_URL=postgres:\/\/pulsebus_auth:[0-9a-f]{64}@a:5432,b:5432\/pulsebus\n/);
  t.match(replicated, /DATABASE_READ_URL=postgres:\/\/pulsebus_auth:[0-9a-f]{64}@b:5432\/pulsebus\n/);
  t.notMatch(replicated, /^login=/m);
  t.match(shown, /NATS_URL=nats:\/\/pulsebus:[0-9a-f]{64}@bus:4222\n/);
});

t.test(
  'a secret of every group can be put, read back, and reaches the containers of the group',
  async (t) => {
    const folder = await makeFolders(t);
    const program = join(root, 'stack/compose/container-secrets.sh');
    const env = { PATH: path, SECRETS_DIR: folder };
    t.ok(allGroups.length > 20);
    for (const group of allGroups) {
      await run('sh', ['-c', `printf 'a secret of ${group}' | '${program}' put ${group}/PROBE`], { env });
      t.equal(await run(program, ['show', `${group}/PROBE`], { env }), `a secret of ${group}`);
    }
    const { containers } = readComposed();
    const mounted = Object.entries(services).map(([name]) => [name, groupsOf(name)]);
    const read = Object.entries(containers).map(([name, { secrets }]) => [
      name,
      name === 'secrets' ? [] : secrets.map(({ group }) => group),
    ]);
    t.strictSame(read, mounted, 'the manifests have them too');
  },
);

t.test('settings of containers are texts for every reader of YAML', async (t) => {
  const { services } = Compose.parse(parse(compose, { merge: true, version: '1.1' }));
  const values = Object.entries(services).flatMap(([name, { environment = {} }]) =>
    Object.entries(environment).map(([key, value]) => ({ name, key, type: typeof value })),
  );
  t.strictSame(
    values.filter(({ type }) => type !== 'string'),
    [],
  );
});

t.test('the database of the containers logs neither statements nor rows', async (t) => {
  for (const [name, value] of Object.entries(quietLog))
    t.match(container('database'), `- -c${name}=${value}\n`);
  t.match(textOf('stack/compose/database-roles.sh'), `set log_min_messages = '${applicationLogLevel}';`);
});

t.test('the services of the containers have no superuser rights', async (t) => {
  const folder = await makeFolders(t);
  chmodSync(folder, 0o711);
  const stack = await startStack({ dataDir: join(folder, 'data'), ephemeral: true, stackDir, log: () => {} });
  t.teardown(() => stack.stop());
  const url = new URL(stack.databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(stack.dataDir, 'superuser-password'), 'utf8');
  await withClient(url.href, (client) =>
    client.query('reassign owned by pulsebus to postgres; drop owned by pulsebus; drop role pulsebus'),
  );
  writeFileSync(join(folder, 'database/DATABASE_PASSWORD'), "it's $1");
  writeFileSync(join(folder, 'database_phone_ingest/DATABASE_PASSWORD'), '"2"');
  const { postgresBin } = await debianPrograms({ stackDir, log: () => {} });
  const env = {
    ...{ PATH: `${postgresBin}:${process.env.PATH}`, SECRETS_DIR: folder },
    ...{ PGHOST: url.hostname, PGPORT: url.port, PGPASSWORD: url.password },
    ...{ POSTGRES_USER: 'postgres', POSTGRES_DB: 'pulsebus' },
  };
  for (let times = 0; times < 2; times++)
    await run(join(root, 'stack/compose/database-roles.sh'), [], { env });
  url.username = 'pulsebus';
  url.password = encodeURIComponent("it's $1");
  t.ok((await migrateUp(url.href)).length > 0, 'which can migrate it');
  t.equal((await grantRights(url.href)).length, Object.keys(serviceRights).length - 1, 'and give rights');
  const phone = withCredentials(url.href, 'pulsebus_phone_ingest', '"2"');
  await withClient(phone, async (client) => {
    await client.query('select from phone.night');
    await t.rejects(client.query('select from users.person'), { code: '42501' });
    await t.rejects(client.query('create table phone.own (n int)'), { code: '42501' });
  });
  const mayBe = 'select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user';
  t.strictSame(await withClient(url.href, async (client) => (await client.query(mayBe)).rows), [
    { rolsuper: false, rolcreatedb: false, rolcreaterole: false },
  ]);
});

t.test('a container joins the bus, and exits with 0 after SIGTERM', async (t) => {
  const folder = await makeFolders(t);
  const { host, password } = new URL(natsUrl());
  const env = {
    ...{
      PATH: path,
      SECRETS_DIR: folder,
      BUS_HOST: host,
      SERVICES: 'summaries',
      NAMESPACE: `image-${process.pid}`,
    },
    ...{ METRICS_PORT: '0', LOG_FORMAT: 'json', HOST: '127.0.0.1' },
  };
  await run('sh', ['-c', `printf %s '${password}' > '${folder}/bus/BUS_PASSWORD'`]);
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(textOf('Dockerfile')) ?? [];
  const child = spawn(join(root, 'stack/compose/container-entry.sh'), JSON.parse(command), {
    cwd: root,
    env,
  });
  t.teardown(() => child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('2 service(s) started')) resolve();
    });
  });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
});

t.test('each container has its own user of the bus', async (t) => {
  for (const name of serviceNames) {
    t.match(container(name), `BUS_USER: ${name}`);
    t.match(container(name), `'bus-${name}-secret:/run/secrets/bus:ro'`);
    t.equal(container(name).match(/'bus-/g)?.length, 1, name);
  }
});

t.test('NATS reads the configuration of the containers, with a password for each service', async (t) => {
  const folder = await makeFolders(t);
  const env = { PATH: path, SECRETS_DIR: folder };
  await run(join(root, 'stack/compose/container-secrets.sh'), ['make'], { env });
  const { natsServer } = await debianPrograms({ stackDir, log: () => undefined });
  if (natsServer === null) throw new Error('this test needs NATS');
  const check = [natsServer, '-t', '-c', join(root, 'stack/compose/nats.conf')];
  await t.resolves(run('sh', [join(root, 'stack/compose/bus-entry.sh'), ...check], { env }));
  rmSync(join(folder, 'bus_auth/BUS_PASSWORD'));
  await t.rejects(run('sh', [join(root, 'stack/compose/bus-entry.sh'), ...check], { env }));
});
