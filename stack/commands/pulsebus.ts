// `npm run pulsebus -- …`: the program of the client package, and `move-in`, which needs what the package must not depend on.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { endOf } from '../install/child-end.js';

const [, , command, ...rest] = process.argv;
if (command === 'move-in') await moveIn(rest);
else await import(new URL('../../clients/typescript/src/cli/main.ts', import.meta.url).href);

// Node takes limits of its memory from its command line only. The arguments may contain a password, which this title hides.
async function moveIn(args: readonly string[]): Promise<void> {
  const { nodeFlags } = await import('../move-in/options.ts');
  process.title = 'pulsebus move-in';
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const program = join(import.meta.dirname, 'move-in.ts');
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], { stdio: 'inherit', env });
  const { code, exitCode } = await endOf(child);
  process.exitCode = code ?? exitCode ?? 1;
}
