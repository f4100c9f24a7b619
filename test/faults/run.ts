// `npm run test:faults`: what breaks under load, and what takes minutes; each file alone, for they count milliseconds.
// FAULT_SECONDS=120 watches each fault for two minutes. usage: npm run test:faults [-- rolling fuzz …], with names or paths of files
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startStack } from '../../stack/servers/stack.ts';

const wanted = process.argv.slice(2).map((name) => basename(name));
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.fault.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.startsWith(part)));
const work = mkdtempSync(join(tmpdir(), 'pulsebus-faults-'));
chmodSync(work, 0o711); // the database server's account walks through it
const { DATABASE_URL: databaseUrl } = process.env;
const given = databaseUrl ? { databaseUrl } : {};
const stack = await startStack({ dataDir: join(work, 'data'), ephemeral: true, log: console.log, ...given });
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined); // the test ends first
try {
  const { DATABASE_URL, NATS_URL, ...rest } = process.env;
  const env = {
    ...rest,
    TEST_DATABASE_URL: stack.databaseUrl,
    TEST_NATS_URL: stack.natsUrl ?? '',
    TMPDIR: work,
  };
  for (const file of files) {
    console.log(`# ${file}`);
    const child = spawn(process.execPath, [join(import.meta.dirname, file)], { env, stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    if (code !== 0) process.exitCode = 1;
    console.log(`# ${file} ended with ${signal ?? code}`);
  }
  if (files.length === 0) process.exitCode = 1;
} finally {
  await stack.stop();
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
