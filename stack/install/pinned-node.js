// The Node.js version that package.json pins, as an npm package of this platform. Plain JavaScript: bootstrap.js
// imports it before there are any packages.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lowest major version of Node.js that runs this project. */
export const NODE_MAJOR = 24;

/** Whether the Node.js that runs this process is new enough. */
export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= NODE_MAJOR;
}

/** The name of the package that holds Node.js for this platform, or null where package.json names none. */
export function nodePackage(root) {
  const { optionalDependencies = {} } = readJson(join(root, 'package.json'));
  const form = new RegExp(`^node-(bin-)?${process.platform}-${process.arch}$`);
  return Object.keys(optionalDependencies).find((name) => form.test(name)) ?? null;
}

/**
 * The pinned Node.js as it is installed: its program, the folder of the program and its version; null where it is
 * not installed. The program is looked up in the package itself: npm 9 and 10 do not make `node_modules/.bin/node`,
 * because the packages of all platforms claim that name.
 */
export function pinnedNode(root) {
  const name = nodePackage(root);
  if (name === null) return null;
  const folder = join(root, 'node_modules', name, 'bin');
  const program = join(folder, 'node');
  if (!existsSync(program)) return null;
  return { program, folder, version: readJson(join(folder, '../package.json')).version };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
