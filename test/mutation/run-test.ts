import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs one test file without tap's runner. False if it fails or times out. */
export async function runTest(
  root: string,
  test: string,
  limitMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  const child = spawn(process.execPath, [join(root, test)], {
    cwd: root,
    env: { ...process.env, PATH: path, ...environment, TAP_BAIL: '1', TAP_TIMEOUT: String(limitMs / 1000) },
    stdio: 'ignore',
    detached: true,
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // its whole group has ended
    }
  };
  const timer = setTimeout(kill, limitMs);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  kill();
  return code === 0;
}
