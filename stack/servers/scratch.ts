// A temporary database server and bus: prints their URLs, runs until Ctrl-C, and deletes its data.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from './stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulsebus-scratch-'));
chmodSync(folder, 0o711); // the database server's account needs access through it
const stack = await startStack({
  dataDir: join(folder, 'data'),
  ephemeral: true,
  log: (line) => console.error(line),
});
console.log(`DATABASE_URL=${stack.databaseUrl}\nNATS_URL=${stack.natsUrl ?? ''}`);
const staying = setInterval(() => {}, 60_000);
const end = async () => {
  clearInterval(staying);
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, end);
