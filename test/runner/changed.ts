import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const source = [
  '*.ts',
  'clients/*/{src,generate}/**/*.ts',
  '{bench,config,contracts,domain,migrations,mixins,providers,runtime,sandbox,services,stack,test}/**/*.ts',
];
/** What every test depends on. */
const common =
  /^(package(-lock)?\.json|\.taprc|tsconfig\.json|test\/run\.ts|test\/runner\/(run-files|file-tests?|test-processes)\.ts)$/;

/** What differs from a commit: the merge base with main, or the last commit (null) where there is no such branch. */
export interface Difference {
  readonly base: string | null;
  readonly files: string[];
}

/** The tests that use a file which differs from main, or is not committed yet. */
export function touchedTests(root: string, tests: readonly string[]): Difference {
  const { base, files: changed } = changedFiles(root);
  if (changed.some((file) => common.test(file))) return { base, files: [...tests] };
  const graph = usesOf(root);
  const files = tests.filter((test) => {
    const used = reach(test, graph);
    return changed.some((file) => used.has(file) || readsFolderOf(root, test, file));
  });
  return { base, files };
}

/** Files that differ from the merge base with main, including deleted and untracked ones. */
export function changedFiles(root: string): Difference {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  const main = ['main', 'origin/main'].find((name) => isKnown(git, name));
  const [base = null] = main === undefined ? [] : git('merge-base', main, 'HEAD');
  const different = git('diff', '--name-only', '--no-renames', base ?? 'HEAD');
  const untracked = git('ls-files', '--others', '--exclude-standard');
  return { base, files: [...new Set([...different, ...untracked])] };
}

function isKnown(git: (...args: string[]) => string[], name: string): boolean {
  try {
    return git('rev-parse', '--verify', '--quiet', name).length > 0;
  } catch {
    return false;
  }
}

/** Which files each file uses: its imports, programs and other files that it names, all services if it loads them. */
function usesOf(root: string): ReadonlyMap<string, readonly string[]> {
  const services = globSync('services/*/*.service.ts', { cwd: root });
  const queries = globSync('migrations/**/*.sql', { cwd: root });
  const more: Readonly<Record<string, readonly string[]>> = {
    'stack/processes/services.ts': services,
    'migrations/migrate.ts': queries,
    'stack/commands/console-build.ts': globSync('console/{index.html,src/**/*}', { cwd: root }),
  };
  const files = globSync(source, { cwd: root });
  return new Map(
    files.map((file) => [
      file,
      [...namedIn(readFileSync(join(root, file), 'utf8'), file), ...(more[file] ?? [])],
    ]),
  );
}

// A file is named from the folder of the file that names it, or from the root.
function namedIn(text: string, file: string): string[] {
  const names = [...text.matchAll(/['"`/]((?:[\w.-]+\/)*[\w.-]+\.\w+)['"`]/g)].map(([, name = '']) => name);
  const paths = [...text.matchAll(/['"`]((?:[\w.-]+\/)*[\w.-]+\.\w+)['"`]/g)].map(([, name = '']) => name);
  return [...paths.map((name) => relative('/', resolve('/', dirname(file), name))), ...paths, ...names];
}

function reach(test: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([test]);
  for (const file of found) for (const used of graph.get(file) ?? []) found.add(used);
  return found;
}

// Some tests read whole folders, which they name.
function readsFolderOf(root: string, test: string, file: string): boolean {
  const text = existsSync(join(root, test)) ? readFileSync(join(root, test), 'utf8') : '';
  if (!/\b(readdirSync|globSync|cpSync)\b/.test(text)) return false;
  const [folder = ''] = file.split('/');
  return text.includes(`'${folder}'`) || text.includes(`'${folder}/`) || text.includes(`/${folder}'`);
}
