import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';

/** The rules of CONTRIBUTING.md that a machine can hold. */
const root = resolve(import.meta.dirname, '..');
const folders = ['domain', 'contracts', 'mixins', 'migrations', 'services', 'stack', 'sandbox'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const text = (file: string) => readFileSync(join(root, file), 'utf8');

/** Which folders a folder's files may import from, beside their own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  contracts: ['domain'],
  mixins: ['domain', 'contracts', 'config.ts'],
  migrations: [],
  services: ['domain', 'contracts', 'mixins', 'config.ts'],
  sandbox: ['domain'],
  stack: [
    'domain',
    'contracts',
    'mixins',
    'services',
    'migrations',
    'sandbox',
    'config.ts',
    'moleculer.config.ts',
    'package.json',
  ],
};

function importsOf(file: string): string[] {
  const found = [...text(file).matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)];
  return found.map(([, path = '']) => relative(root, resolve(root, dirname(file), path)));
}

t.test('there are files of every folder to look at', async (t) => {
  for (const folder of folders)
    t.ok(
      files.some((file) => file.startsWith(`${folder}/`)),
      folder,
    );
});

t.test('imports run one way: domain, contracts, mixins, services, stack', async (t) => {
  for (const file of files) {
    const [folder = ''] = file.split('/');
    for (const target of importsOf(file)) {
      const [top = ''] = target.split('/');
      t.ok(top === folder || allowed[folder]?.includes(top), `${file} imports ${target}`);
    }
  }
});

t.test("no service imports another's folder", async (t) => {
  for (const file of files.filter((name) => name.startsWith('services/'))) {
    const own = file.split('/').slice(0, 2).join('/');
    for (const target of importsOf(file).filter((name) => name.startsWith('services/'))) {
      t.ok(target.startsWith(`${own}/`), `${file} imports ${target}`);
    }
  }
});

t.test('domain imports zod and what Node has, nothing else', async (t) => {
  for (const file of files.filter((name) => name.startsWith('domain/'))) {
    for (const [, name = ''] of text(file).matchAll(/from '([^.'][^']*)'/g)) {
      t.ok(name === 'zod' || name.startsWith('node:'), `${file} imports ${name}`);
    }
  }
});

t.test('only config.ts reads the settings from the environment', async (t) => {
  // A program that this project starts gets the environment handed on; that reads no setting of ours.
  for (const file of files.filter((name) => !name.startsWith('stack/')))
    t.notMatch(text(file), /process\.env/, file);
});

t.test('nothing pure reads the clock', async (t) => {
  for (const file of files.filter((name) => name.startsWith('domain/')))
    t.notMatch(text(file), /Date\.now|new Date\(\)/, file);
});

t.test('every exported function, constant and type says what it is', async (t) => {
  for (const file of files) {
    const lines = text(file).split('\n');
    for (const [index, line] of lines.entries()) {
      const declares = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(line);
      if (declares === null || documented(lines, index)) continue;
      t.ok(namesSchema(lines, declares[1] ?? ''), `${file}:${index + 1} ${line.slice(0, 60)}`);
    }
  }
  t.ok(files.length > 100);
});

function documented(lines: readonly string[], index: number): boolean {
  return /(\*\/|^\/\/.*)\s*$/.test(lines[index - 1] ?? '');
}

// A type that is derived from a value beside it, which says what it is, or one of a row of like exports.
function namesSchema(lines: readonly string[], name: string): boolean {
  if (lines.some((line) => new RegExp(`^export type ${name} = .*\\btypeof \\w+`).test(line))) return true;
  const first = lines.findIndex((line) => new RegExp(`^export (const|type) ${name}\\b`).test(line));
  return documented(lines, first) || /^export /.test(lines[first - 1] ?? '');
}
