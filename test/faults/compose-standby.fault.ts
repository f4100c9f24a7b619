import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { withCredentials } from '../../domain/database-url.ts';
import { withClient } from '../../stack/database/create-database.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { run, waitUntil } from '../../stack/machine/processes.ts';
import { serverFolder as makeForServer } from '../../stack/machine/unprivileged.ts';
import { startPostgres } from '../../stack/servers/postgres-server.ts';
import { startServer } from '../../stack/servers/server-process.ts';
import { serverFolder } from '../support/servers/server-folder.ts';

const compose = join(import.meta.dirname, '../../stack/compose');
const patienceMs = 60_000;

t.test('the standby of the profile ha copies, follows, survives kills and is promoted', async (t) => {
  const { work, dataDir, log, account, programs, remove } = await serverFolder(t);
  const { postgresBin } = programs;
  const options = { dataDir, programs, account, log, ephemeral: false, createsDatabases: false };
  let primary = await startPostgres(options);
  t.teardown(async () => {
    await primary.stop();
    remove();
  });
  const { hostname, port } = new URL(primary.databaseUrl);
  const superuser = withCredentials(
    primary.databaseUrl,
    'postgres',
    readFileSync(join(dataDir, 'superuser-password'), 'utf8'),
  );
  const secrets = join(work, 'secrets');
  const folders = { database: 'DATABASE_PASSWORD', replication: 'REPLICATION_PASSWORD' };
  for (const [folder, name] of Object.entries(folders)) {
    mkdirSync(join(secrets, folder), { recursive: true });
    writeFileSync(join(secrets, folder, name), new URL(primary.databaseUrl).password);
  }
  const volume = makeForServer(join(work, 'volume'), account);
  chmodSync(volume, 0o700);
  const common = { PATH: `${postgresBin}:${process.env.PATH}`, SECRETS_DIR: secrets, LC_ALL: 'C' };
  const roles = {
    ...{ ...common, PGHOST: hostname, PGPORT: port, PGPASSWORD: new URL(superuser).password },
    ...{ POSTGRES_USER: 'postgres', POSTGRES_DB: 'pulsebus', PGDATA: join(dataDir, 'postgres') },
  };
  for (let times = 0; times < 2; times++)
    await run('sh', [join(compose, 'database-roles.sh')], { cwd: '/', env: roles, ...account });
  const lines = readFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'utf8').match(/pulsebus_replication/g);
  t.equal(lines?.length, 1, 'the second run added nothing');

  await withClient(superuser, (client) =>
    client.query('create table kept as select generate_series(1, 1000) n'),
  );
  const own = await freePort();
  const environment = {
    ...{ ...common, PRIMARY_HOST: hostname, PRIMARY_PORT: port, TMPDIR: volume },
    PGDATA: join(volume, 'standby'),
  };
  const command = ['sh', join(compose, 'standby-entry.sh'), 'postgres', `-cport=${own}`];
  const flags = ['-clisten_addresses=127.0.0.1', `-cunix_socket_directories=${volume}`];

  // Killed while it copies: what is left does not look like data, and the next start copies anew.
  const killed = spawn(command[0] ?? '', [...command.slice(1), ...flags], {
    ...{ cwd: '/', env: environment, stdio: 'ignore', detached: true },
    ...account,
  });
  t.ok(await waitUntil(() => existsSync(`${environment.PGDATA}.new`), patienceMs), 'it copies');
  process.kill(-(killed.pid ?? 0), 'SIGKILL');
  await once(killed, 'exit');
  t.notOk(existsSync(environment.PGDATA), 'it was killed before the copy was complete');

  const logFile = join(work, 'standby.log');
  const start = () =>
    startServer({
      ...{ name: 'standby', stopSignal: 'INT', logFile, account, log },
      command: [
        'env',
        '-i',
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        ...command,
        ...flags,
      ],
    });
  let standby = start();
  t.teardown(() => standby.stop());
  const onStandby = withCredentials(`postgres://127.0.0.1:${own}/pulsebus`, 'postgres', roles.PGPASSWORD);
  const ask = async (sql: string): Promise<unknown[]> => {
    for (const deadline = Date.now() + patienceMs; ; await sleep(100))
      try {
        return await withClient(onStandby, async (client) => (await client.query(sql)).rows);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
  };
  const until = async (sql: string, wanted: unknown) => {
    for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
      const [row] = await ask(sql);
      if (JSON.stringify(row) === JSON.stringify(wanted) || Date.now() > deadline)
        return t.same(row, wanted, sql);
    }
  };
  await until('select count(*)::int as n, pg_is_in_recovery() as standby from kept', {
    n: 1000,
    standby: true,
  });

  await standby.stop();
  await withClient(superuser, (client) =>
    client.query('insert into kept select generate_series(1001, 1500)'),
  );
  standby = start();
  await until('select count(*)::int as n from kept', { n: 1500 });

  await primary.stop();
  await run(join(postgresBin, 'pg_ctl'), ['promote', '-D', environment.PGDATA], {
    ...{ cwd: '/', env: environment },
    ...account,
  });
  await until('select pg_is_in_recovery() as standby', { standby: false });
  await ask('insert into kept values (1501)');
  await standby.stop();
  standby = start();
  await until('select count(*)::int as n, pg_is_in_recovery() as standby from kept', {
    n: 1501,
    standby: false,
  });

  // Back to the container `database`, by the command of the document, and a new standby beside it.
  await standby.stop();
  await run('sh', ['-c', moveBack(join(dataDir, 'postgres'), volume)], { cwd: '/', ...account });
  t.notOk(existsSync(environment.PGDATA), 'the data was moved');
  primary = await startPostgres(options);
  t.equal(new URL(primary.databaseUrl).port, port);
  standby = start();
  await withClient(superuser, (client) => client.query('insert into kept values (1502)'));
  await until('select count(*)::int as n, pg_is_in_recovery() as standby from kept', {
    n: 1502,
    standby: true,
  });
});

function moveBack(to: string, from: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const [, command = ''] = text.match(/sh -c '(rm -rf \/to\/[^']*)'/) ?? [];
  return command.replaceAll('/to/', `${to}/`).replaceAll('/from/', `${from}/`);
}
