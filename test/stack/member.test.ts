import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { commandLine, signal, waitUntil } from '../../stack/machine/processes.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

/** A parent that keeps one process of the cluster running, as `npm run cluster` does. */
const parentProgram = `
  const { startMember } = await import(${JSON.stringify(import.meta.resolve('../../stack/processes/member.ts'))});
  const stop = startMember({ title: 'summaries.1', environment: process.env }, (line) => console.log(line));
  process.once('SIGTERM', async () => { await stop(); process.exit(0); });
`;
const patienceMs = 60_000;

interface Parent {
  readonly child: ChildProcess;
  /** Waits until the services of the member run; returns its process. */
  memberAfter(other?: number): Promise<number>;
}

async function startParent(t: Test): Promise<Parent> {
  const database = await freshDatabase(t);
  const environment = {
    ...process.env,
    DATABASE_URL: database.url,
    NATS_URL: natsUrl(),
    NAMESPACE: `member-${process.pid}`,
    JWT_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: 'x'.repeat(32),
    SERVICES: 'summaries',
    LOG_LEVEL: 'info',
  };
  const child = spawn(process.execPath, ['--input-type=module', '-e', parentProgram], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let started = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('service(s) started')) started += 1;
  });
  let awaited = 0;
  return {
    child,
    memberAfter: async (other) => {
      awaited += 1;
      t.ok(await waitUntil(() => started >= awaited, patienceMs), 'the process runs its services');
      const [pid = 0] = childrenOf(child.pid ?? 0).filter((one) => one !== other);
      return pid;
    },
  };
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0; // it ended meanwhile
  }
}

t.test('a process of the cluster that is killed is started again', async (t) => {
  const { child, memberAfter } = await startParent(t);
  const first = await memberAfter();
  signal(first, 'SIGKILL');
  const second = await memberAfter(first);
  t.ok(second > 0 && second !== first);
  child.kill('SIGTERM');
  t.ok(await waitUntil(() => commandLine(second) === null, patienceMs), 'it ends with the cluster');
});

t.test('a process of the cluster ends when its parent is killed', async (t) => {
  const { child, memberAfter } = await startParent(t);
  const pid = await memberAfter();
  child.kill('SIGKILL');
  t.ok(await waitUntil(() => commandLine(pid) === null, patienceMs));
});
