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
 * Whether node_modules holds what package-lock.json names for `group`, and a Node.js that runs this project. `runtime` is what the
 * product needs, `all` also what tests, checks and tools need. The stamp holds the hash of the lock file: when the lock file
 * changes, the packages are installed again.
 */
export function isInstalled(root, group) {
  if (!isNewEnough() && nodePackage(root) !== null && pinnedNode(root) === null) return false;
  const stamp = stampOf(root);
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = hashOf(lock);
  const stamps = [stampText(hash, 'all'), stampText(hash, group)];
  if (existsSync(stamp) && stamps.includes(readFileSync(stamp, 'utf8'))) return true;
  if (!agreesWith(root, JSON.parse(lock), group)) return false;
  writeStamp(stamp, stampText(hash, group)); // npm was run by hand
  return true;
}

/**
 * Installs the packages of a group. To packages that are there, only what lacks is added, because a product may run with them;
 * development packages stay. @throws Error of three lines: what failed, npm's own sentence, what to do.
 */
export async function install(root, group) {
  const wanted = hasDevelopment(root) ? 'all' : group;
  const command = existsSync(noteOf(root)) ? ['install', '--no-save'] : ['ci'];
  console.log(`Installing packages (npm ${command.join(' ')})`);
  // After an installation that was stopped half-way the next one begins anew.
  for (const file of [stampOf(root), noteOf(root)]) rmSync(file, { force: true });
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const progress = setInterval(() => console.log(`Installing packages: ${seconds()} s`), PROGRESS_MS);
  try {
    await installPackages(root, [...command, ...optionsOf(wanted)]);
  } finally {
    clearInterval(progress);
  }
  writeStamp(stampOf(root), stampText(hashOf(readFileSync(join(root, 'package-lock.json'), 'utf8')), wanted));
  console.log(`Packages installed in ${seconds()} s`);
}

/**
 * Adds a development package to those of the product, in the version of package-lock.json. `--save-prod` with `--no-save` makes it a
 * package of the product for this run of npm only.
 */
export async function addPackage(root, name) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const command = ['install', '--no-save', '--save-prod', `${name}@${devDependencies[name]}`];
  await installPackages(root, [...command, ...optionsOf('runtime')]);
}

// Optional packages are the pinned Node.js and those that build the console. The groups do not depend on NODE_ENV.
function optionsOf(group) {
  return [group === 'all' ? '--include=dev' : '--omit=dev', '--include=optional', '--no-progress'];
}

/** The headers for compiling add-ons are a third of the package of Node.js. Nothing here uses them, and npm does not look for them. */
function removeHeaders(root) {
  const name = nodePackage(root);
  if (name !== null) rmSync(join(root, 'node_modules', name, 'include'), { recursive: true, force: true });
}

const stampOf = (root) => join(root, 'node_modules/.pulsebus-install');
const noteOf = (root) => join(root, 'node_modules/.package-lock.json');
const hashOf = (text) => createHash('sha256').update(text).digest('hex');
const stampText = (hash, group) => `${hash} ${group}`;

/** npm's own note of what it installed, by path. */
function installedPackages(root) {
  return existsSync(noteOf(root)) ? JSON.parse(readFileSync(noteOf(root), 'utf8')).packages : {};
}

function hasDevelopment(root) {
  return Object.values(installedPackages(root)).some(({ dev }) => dev);
}

/** Whether every package of the lock file is installed in its version. Those for other machines, and of no group, may lack. */
function agreesWith(root, lock, group) {
  const installed = installedPackages(root);
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return existsSync(noteOf(root));
    const found = installed[path];
    if (found !== undefined) return found.version === wanted.version;
    return Boolean(wanted.optional || wanted.devOptional || (wanted.dev && group !== 'all'));
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
async function installPackages(root, command) {
  const ping = await runNpm(root, [
    'ping',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--fetch-timeout=10000',
  ]);
  const unreachable = ping.code !== 0 && isNetworkCode(causeOf(ping.output).code);
  const { code, output, isDiskFull } = await runNpm(root, [
    ...command,
    ...(unreachable ? ['--offline'] : []),
  ]);
  if (code === 0 && !isDiskFull) return removeHeaders(root);
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
