import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { run } from '../../stack/machine/processes.ts';
import { serverAccount } from '../../stack/machine/unprivileged.ts';

t.test('a lock that another account left, and that cannot be removed, is an error at once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-lock-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'start.lock');
  writeFileSync(file, '', { mode: 0o600 });
  // Root shares the folder with everybody, as /tmp does; anybody else cannot write to it.
  const account = serverAccount();
  chmodSync(folder, account === null ? 0o555 : 0o1777);
  const program = `
    const { withLock } = await import(${JSON.stringify(import.meta.resolve('../../stack/machine/lock.ts'))});
    await withLock(${JSON.stringify(file)}, async () => undefined).catch(({ code }) => {
      console.error(code);
      process.exit(1);
    });`;
  const args = ['--input-type=module', '-e', program];
  await t.rejects(run(process.execPath, args, { cwd: '/', ...account }), /EACCES|EPERM/);
});
