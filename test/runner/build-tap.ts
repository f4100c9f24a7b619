import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { withLock } from '../../stack/machine/lock.ts';

/**
 * Builds tap's test class into node_modules, once per install and per .taprc: the class depends on tap's plugins. Runs
 * that start together wait for one build.
 */
export async function buildTap(root: string, env: NodeJS.ProcessEnv): Promise<void> {
  const stamp = join(root, 'node_modules/.pulsebus-tap');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, '.taprc')))
    .digest('hex');
  await withLock(`${stamp}.lock`, async () => {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(join(root, '.tap/plugins')))
      return;
    rmSync(stamp, { force: true });
    restoreInstalled(root);
    await build(root, env);
    writeFileSync(stamp, wanted);
  });
}

// The build imports the class that it replaces: after a build that was stopped half-way only the installed class works.
function restoreInstalled(root: string): void {
  const current = join(root, 'node_modules/@tapjs/test/test-built');
  const installed = join(root, 'node_modules/.pulsebus-tap-installed');
  if (!existsSync(installed)) {
    rmSync(`${installed}.part`, { recursive: true, force: true });
    cpSync(current, `${installed}.part`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${installed}.part`, installed);
    return;
  }
  rmSync(current, { recursive: true, force: true });
  cpSync(installed, current, { recursive: true, verbatimSymlinks: true });
}

async function build(root: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'node_modules/.bin/tap'), 'build'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`tap build failed:\n${output}`);
}
