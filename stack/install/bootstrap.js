#!/usr/bin/env node
// Runs a TypeScript file of this project on any Node.js from version 18: installs the packages if they are missing,
// then continues under the pinned Node.js 24, which is one of the packages.
// Plain JavaScript without packages, because it runs before they are installed.
// usage: node stack/install/bootstrap.js [--all] [<file.ts> [arguments]]
// `--all` installs the packages of development too; without a file it does no more.
import { spawn } from 'node:child_process';
import * as nodeModule from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endOf } from './child-end.js';
import { install, isInstalled } from './install.js';
import { isNewEnough, NODE_MAJOR, nodePackage, pinnedNode } from './pinned-node.js';
import { StartFailure } from './start-failure.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

try {
  const words = process.argv.slice(2);
  const group = words[0] === '--all' ? 'all' : 'runtime';
  const [file, ...args] = group === 'all' ? words.slice(1) : words;
  if (!isInstalled(root, group)) await install(root, group);
  keepCompiled();
  if (file !== undefined) await runFile(resolve(root, file), args);
} catch (error) {
  console.error(error instanceof StartFailure ? error.message : error);
  process.exit(1);
}

/** Runs in this process if it is the pinned Node.js already, which saves a waiting parent process. */
async function runFile(path, args) {
  const pinned = pinnedNode(root);
  if (pinned === null) return runHere(path, args);
  // Programs that begin with `#!/usr/bin/env node` run under it too.
  process.env.PATH = [pinned.folder, process.env.PATH].join(delimiter);
  if (process.version === `v${pinned.version}`) return runHere(path, args);
  const child = spawn(pinned.program, [...process.execArgv, path, ...args], { stdio: 'inherit' });
  const { code, error, exitCode } = await endOf(child);
  if (error) return runWithout(pinned.program, error, path, args);
  process.exit(code ?? exitCode);
}

// Compiled code is kept for this process and those that it starts: without it each loads the TypeScript compiler, which takes 20 MB.
// A changed file is compiled again. A folder that cannot be written keeps nothing.
function keepCompiled() {
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.pulsebus-compile-cache');
  nodeModule.enableCompileCache?.();
}

/** The pinned Node.js does not run with another C library, for example on Alpine Linux. */
async function runWithout(program, error, path, args) {
  if (!isNewEnough())
    throw new StartFailure(
      `${program} does not run on this machine (${error.message}): install Node.js ${NODE_MAJOR}.`,
    );
  await runHere(path, args);
}

async function runHere(path, args) {
  if (!isNewEnough())
    throw new StartFailure(`This is Node.js ${process.version}, Pulsebus needs ${NODE_MAJOR}. ${missing()}`);
  process.argv.splice(1, process.argv.length, path, ...args);
  await import(pathToFileURL(path).href);
}

function missing() {
  const name = nodePackage(root);
  return name === null
    ? `npm has none for ${process.platform}-${process.arch}: install Node.js ${NODE_MAJOR}.`
    : `npm left out the package ${name}, which holds it: remove node_modules and start again, or install Node.js ${NODE_MAJOR}.`;
}
