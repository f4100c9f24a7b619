// Installs the packages with npm and explains a failure in three lines. Plain JavaScript, because packages are missing.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endOf } from './child-end.js';
import { causeOf, installFailure, isNetworkCode } from './install-failure.js';
import { isNewEnough, nodePackage, pinnedNode } from './pinned-node.js';
import { StartFailure } from './start-failure.js';

const PROGRESS_MS = 3000;

/**
 * Whether node_modules holds what package-lock.json names, and a Node.js that runs this project. The stamp holds the
 * hash of the lock file: when the lock file changes, the packages are installed again.
 */
export function isInstalled(root) {
  if (!isNewEnough() && nodePackage(root) !== null && pinnedNode(root) === null) return false;
  const stamp = stampOf(root);
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = hashOf(lock);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  if (!agreesWith(root, JSON.parse(lock))) return false;
  writeStamp(stamp, hash); // npm was run by hand
  return true;
}

/** Runs `npm ci`. @throws Error of three lines: what failed, npm's own sentence, what to do. */
export async function install(root) {
  console.log('Installing packages (npm ci)');
  rmSync(stampOf(root), { force: true });
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const progress = setInterval(() => console.log(`Installing packages: ${seconds()} s`), PROGRESS_MS);
  try {
    await installPackages(root);
  } finally {
    clearInterval(progress);
  }
  writeStamp(stampOf(root), hashOf(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  console.log(`Packages installed in ${seconds()} s`);
}

const stampOf = (root) => join(root, 'node_modules/.pulsebus-install');
const noteOf = (root) => join(root, 'node_modules/.package-lock.json');
const hashOf = (text) => createHash('sha256').update(text).digest('hex');

/** Whether npm's own note of what it installed holds every package of the lock file; those for other machines may lack. */
function agreesWith(root, lock) {
  if (!existsSync(noteOf(root))) return false;
  const installed = JSON.parse(readFileSync(noteOf(root), 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined
      ? Boolean(wanted.optional || wanted.devOptional)
      : found.version === wanted.version;
  });
}

function writeStamp(stamp, hash) {
  try {
    writeFileSync(stamp, hash);
  } catch {
    // node_modules is read-only or belongs to another user: it is only checked again at the next start
  }
}

/**
 * Pings the registry first: without a network `npm ci` repeats each request for minutes. If the registry does not
 * answer, npm's cache may still contain all packages.
 */
async function installPackages(root) {
  const ping = await runNpm(root, [
    'ping',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--fetch-timeout=10000',
  ]);
  const unreachable = ping.code !== 0 && isNetworkCode(causeOf(ping.output).code);
  // Includes development packages whatever NODE_ENV is: the type checker and the tests are among them.
  const options = [
    '--include=dev',
    '--include=optional',
    '--no-progress',
    ...(unreachable ? ['--offline'] : []),
  ];
  const { code, output, isDiskFull } = await runNpm(root, ['ci', ...options]);
  if (code === 0 && !isDiskFull) return;
  rmSync(noteOf(root), { force: true }); // the installation is incomplete
  throw installFailure({ root, code, output, isDiskFull, pingOutput: unreachable ? ping.output : null });
}

/**
 * Runs npm until it ends or reports a full disk: npm only warns about a file that it could not write, repeats the
 * warning thousands of times, and exits with 0. Exits like npm if a signal ended it.
 */
async function runNpm(root, args) {
  const npm = process.env.npm_execpath;
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const child = spawn(program, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let isDiskFull = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
      if (isDiskFull || !/\bENOSPC\b/.test(output.slice(-text.length - 10))) return;
      isDiskFull = true;
      child.kill('SIGKILL');
    });
  // npm continues after SIGTERM. The next install removes what it leaves behind
  const { code, signal, error, exitCode } = await endOf(child, 'SIGKILL');
  if (exitCode !== undefined && !isDiskFull) process.exit(exitCode);
  if (error?.code === 'ENOENT')
    throw new StartFailure('npm is not on this machine: install Node.js with npm.');
  if (error) throw error;
  return { code: code ?? signal, output, isDiskFull };
}
