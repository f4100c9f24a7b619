#!/usr/bin/env node
// Runs a TypeScript file of this project on whatever Node a machine has (18 or newer): installs the packages
// when they are missing, then goes on under the pinned Node 24, which is one of them.
// Plain JavaScript without packages: it runs before there are any.
// usage: node stack/bootstrap.js <file.ts> [arguments]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules/.pulsebus-install');
const pinnedNode = join(root, 'node_modules/.bin/node');
const NODE_MAJOR = 24;
const PROGRESS_MS = 3000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The signal that we were asked to end with. */
let stoppedBy;

try {
  const [file, ...args] = process.argv.slice(2);
  if (file === undefined) throw new Error('usage: node stack/bootstrap.js <file.ts> [arguments]');
  if (!isInstalled()) await install();
  await runFile(file, args);
} catch (error) {
  console.error(
    error instanceof Error ? (error.stack?.includes('bootstrap.js') ? error.message : error) : error,
  );
  process.exit(1);
}

/** The stamp holds the lock file's hash: a pulled change of the packages installs them anew. */
function isInstalled() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  if (!agreesWith(JSON.parse(lock))) return false;
  writeStamp(hash); // somebody ran npm
  return true;
}

/** Whether npm's own note of what it installed holds every package of the lock file; those for other machines may lack. */
function agreesWith(lock) {
  const note = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined
      ? Boolean(wanted.optional || wanted.devOptional)
      : found.version === wanted.version;
  });
}

function writeStamp(hash) {
  try {
    writeFileSync(stamp, hash);
  } catch {
    // node_modules of somebody else, or read-only: it is only looked through again at the next start
  }
}

async function install() {
  console.log('Installing packages (npm ci)');
  rmSync(stamp, { force: true });
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const progress = setInterval(() => console.log(`Installing packages: ${seconds()} s`), PROGRESS_MS);
  try {
    await npmCi();
  } finally {
    clearInterval(progress);
  }
  writeStamp(
    createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex'),
  );
  console.log(`Packages installed in ${seconds()} s`);
}

/** Development packages too, whatever NODE_ENV says: the type checker and the tests are among them. */
async function npmCi() {
  const npm = process.env.npm_execpath;
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const args = [...first, 'ci', '--include=dev', '--include=optional', '--no-progress'];
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const { code, signal, error } = await endOf(child, 'SIGKILL'); // npm goes on after SIGTERM; the next start begins anew
  if (signal || stoppedBy) process.exit(exitCodeOf(stoppedBy ?? signal));
  if (error?.code === 'ENOENT') throw new Error('npm is not on this machine: install Node.js with npm');
  if (error) throw error;
  if (code !== 0) throw new Error(`${output.trim()}\nnpm ci failed (exit code ${code}): nothing was started`);
}

/** In this process where it is the pinned Node already: that spares a process that only waits. */
async function runFile(file, args) {
  const path = resolve(root, file);
  if (!existsSync(pinnedNode)) return runHere(path, args);
  const pinned = JSON.parse(readFileSync(join(dirname(realpathSync(pinnedNode)), '../package.json'), 'utf8'));
  if (process.version === `v${pinned.version}`) return runHere(path, args);
  const child = spawn(pinnedNode, [...process.execArgv, path, ...args], { stdio: 'inherit' });
  const { code, signal, error } = await endOf(child);
  if (error) throw new Error(`${pinnedNode} does not run on this machine: ${error.message}`);
  process.exit(signal ? exitCodeOf(signal) : code);
}

async function runHere(path, args) {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR)
    throw new Error(
      `This is Node ${process.version}, Pulsebus needs ${NODE_MAJOR}, and npm has none for ${process.platform}-${process.arch}: install Node.js ${NODE_MAJOR}.`,
    );
  process.argv.splice(1, process.argv.length, path, ...args);
  await import(pathToFileURL(path).href);
}

function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}

/** Passes signals on until the child ends. Ctrl-C in a terminal reached the child already, with its process group. */
function endOf(child, instead) {
  const passOn = (signal) => {
    stoppedBy = signal;
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(instead ?? signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  return new Promise((done) => {
    child.once('error', (error) => done({ error }));
    child.once('close', (code, signal) => done({ code, signal }));
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, passOn);
  });
}
