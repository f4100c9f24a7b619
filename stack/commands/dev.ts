// `npm run dev`: everything as `npm start`, started anew when a source file changes. (Moleculer's --hot does not
// reload ES modules.)
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { watchSource } from './watch-source.ts';

const root = join(import.meta.dirname, '../..');
const environment = { CHECK_ANSWERS: 'true', WORKERS: '1', ...process.env };

let child: ChildProcess | null = null;
let restarting = Promise.resolve();
let isStopping = false;

const stopWatching = watchSource(root, (file) => {
  restarting = restarting.then(() => restart(file));
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(name));
start();

function start(): void {
  const started = spawn(process.execPath, [join(root, 'start.ts'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment,
  });
  child = started;
  started.once('close', (code) => {
    child = null;
    if (!isStopping && code !== 0) console.log('Waiting for a change.');
    if (isStopping) process.exitCode = code ?? 1;
  });
}

// The old process stops first, because both use the same port and data folder.
async function restart(file: string): Promise<void> {
  if (isStopping) return;
  console.log(`${file} changed: starting anew.`);
  if (child !== null) {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
  if (!isStopping) start();
}

function stop(signal: NodeJS.Signals): void {
  isStopping = true;
  stopWatching();
  child?.kill(signal);
}
