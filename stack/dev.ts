// `npm run dev`: everything as `npm start`, started anew when a source file changes. (Moleculer's --hot does not
// reload ES modules.)
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const WATCHED = ['services', 'mixins', 'domain', 'contracts'];

const root = join(import.meta.dirname, '..');
const args = [...WATCHED.map((folder) => `--watch-path=${join(root, folder)}`), join(root, 'start.ts')];
const child = spawn(process.execPath, [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
child.once('close', (code) => {
  process.exitCode = code ?? 1;
});
