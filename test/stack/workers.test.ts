import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { loadConfig } from '../../config.ts';
import { commandLine, signal, waitUntil } from '../../stack/machine/processes.ts';
import { shareOf } from '../../stack/processes/workers.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const program = new URL('../../stack/processes/process.ts', import.meta.url).pathname;
const patienceMs = 60_000;
const limit = 40;

interface Primary {
  readonly pid: number;
  readonly url: string;
  readonly ended: Promise<unknown[]>;
  readonly output: readonly string[];
}

async function startPrimary(t: Test, settings: Readonly<Record<string, string>>): Promise<Primary> {
  const database = await freshDatabase(t);
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    NATS_URL: natsUrl(),
    NAMESPACE: `workers-${process.pid}`,
    JWT_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: 'x'.repeat(32),
    SERVICES: 'api-gateway', // it refuses requests without a credential by itself
    PORT: '0',
    WORKERS: '2',
    RATE_LIMIT_ADDRESS: String(limit),
    DRAIN_MS: '0',
    ...settings,
  };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const output: string[] = [];
  const urls: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    const [url] = line.includes('gateway.listening') ? (/http:\/\/[\d.:]+/.exec(line) ?? []) : [];
    if (url !== undefined) urls.push(url);
  });
  const ended = once(child, 'exit');
  await waitUntil(() => urls.length === 2 || child.exitCode !== null, patienceMs);
  t.equal(new Set(urls).size, child.exitCode === null ? 1 : 0, 'all workers listen on one port');
  return { pid: child.pid ?? 0, url: urls[0] ?? '', ended, output };
}

function workersOf(primary: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === primary);
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0; // it ended meanwhile
  }
}

// A connection each, so that the requests reach both workers.
async function statusOf(url: string): Promise<number> {
  const request = get(url, { agent: false });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request.once('response', (response) => resolve(response.resume().statusCode ?? 0));
  request.once('error', reject);
  return promise;
}

t.test('workers share a port, its limits and a stop; one that dies is replaced', async (t) => {
  const { pid, url, ended } = await startPrimary(t, {});
  const workers = workersOf(pid);
  t.equal(workers.length, 2);
  const statuses = await Promise.all(
    Array.from({ length: 2 * limit }, () => statusOf(`${url}/api/v1/users`)),
  );
  t.equal(statuses.filter((status) => status === 401).length, limit, 'as many as the limit, of all workers');
  t.equal(statuses.filter((status) => status === 429).length, limit);

  const [victim = 0] = workers;
  signal(victim, 'SIGKILL');
  t.ok(await waitUntil(() => !workersOf(pid).includes(victim), patienceMs));
  for (let request = 0; request < 6; request += 1)
    t.equal(await statusOf(`${url}/api/v1/users`), 429, 'the other worker answers, with the same window');
  t.ok(await waitUntil(() => workersOf(pid).length === 2, patienceMs), 'it is replaced');

  const last = workersOf(pid);
  for (const worker of last) signal(worker, 'SIGINT');
  t.equal(
    await statusOf(`${url}/api/v1/users`),
    429,
    'workers leave the signals of a terminal to the primary',
  );
  signal(pid, 'SIGTERM');
  t.same(await ended, [0, null]);
  t.ok(await waitUntil(() => last.every((worker) => commandLine(worker) === null), patienceMs));
});

t.test('a process that starts workers does not load the gateway', async (t) => {
  const loaded = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    await import(${JSON.stringify(new URL('../../stack/processes/start-services.ts', import.meta.url).href)});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', loaded]);
  let urls = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    urls += text;
  });
  t.same(await once(child, 'close'), [0, null]);
  t.match(urls, '/stack/processes/workers.ts');
  t.notMatch(urls, '/api-gateway.service.ts');
});

t.test('workers end with a primary that is killed', async (t) => {
  const { pid } = await startPrimary(t, {});
  const workers = workersOf(pid);
  t.equal(workers.length, 2);
  signal(pid, 'SIGKILL');
  t.ok(await waitUntil(() => workers.every((worker) => commandLine(worker) === null), patienceMs));
});

t.test('a worker that cannot start fails the start', async (t) => {
  const { ended } = await startPrimary(t, { CONNECT_LOGO: '/no/such/file.svg' });
  t.same(await ended, [1, null]);
});

t.test('bounds of a process are divided among the workers', async (t) => {
  const of = (settings: Record<string, string>, index: number) => shareOf(loadConfig(settings), index);
  const share = of({ WORKERS: '4', METRICS_PORT: '9100', MAX_CONNECTIONS: '10' }, 1);
  t.match(share, {
    WORKERS: '1',
    DATABASE_POOL: '4',
    WEBHOOK_MEMORY_MIB: '64',
    MAX_CONNECTIONS: '3',
    METRICS_PORT: '9101',
  });
  t.match(of({ WORKERS: '2' }, 0), { DATABASE_POOL: '6', METRICS_PORT: undefined });
  t.match(of({ WORKERS: '8', DATABASE_POOL: '2' }, 0), { DATABASE_POOL: '2' });
});
