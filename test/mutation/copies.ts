import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '../../stack/servers/stack.ts';
import { makeMemoryFolder } from '../support/servers/memory-folder.ts';

const root = join(import.meta.dirname, '../..');
const copied = [
  'config.ts',
  'moleculer.config.ts',
  'package.json',
  'tsconfig.json',
  'openapi.json',
  'start.ts',
  '.tap',
];
const folders = [
  'clients',
  'console',
  'contracts',
  'domain',
  'migrations',
  'providers',
  'mixins',
  'runtime',
  'sandbox',
  'services',
  'stack',
  'test',
  'bench',
  'docs',
];
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'docker-compose.yml',
  'Dockerfile',
  '.dockerignore',
  'grafana',
  '.taprc',
  'migrate.ts',
  'package-lock.json',
];

/** Starts a database server and a bus for tests, copies the tree `count` times, and removes all of it afterwards. */
export async function withCopies(
  count: number,
  work: (copies: readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-mutation-'));
  const memory = makeMemoryFolder();
  const stack = await startStack({
    dataDir: join(memory ?? folder, 'data'),
    ephemeral: true,
    log: console.log,
  });
  process.env.TEST_DATABASE_URL = stack.databaseUrl;
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  if (stack.natsUrl !== null) process.env.TEST_NATS_URL = stack.natsUrl;
  try {
    await work(Array.from({ length: count }, (_, index) => copyTree(join(folder, `tree-${index}`))));
  } finally {
    await stack.stop();
    for (const one of [folder, ...(memory === null ? [] : [memory])])
      rmSync(one, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A copy of the product in a separate folder. */
function copyTree(folder: string): string {
  for (const name of [...copied, ...folders, ...documents])
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(folder, name), { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

// The client has packages of its own, which no test here needs.
const isSource = (path: string) => !path.endsWith('/node_modules');

/** Works on all items, one at a time in each copy. */
export async function inParallel<T>(
  copies: readonly string[],
  items: readonly T[],
  work: (copy: string, item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const worker = async (copy: string) => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(copy, item);
  };
  await Promise.all(copies.map(worker));
}
