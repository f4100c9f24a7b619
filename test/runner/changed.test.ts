import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { changedFiles, touchedTests } from './changed.ts';

const files: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'notes.md': '',
  'domain/time/time.ts': 'export const time = 1;',
  'domain/unit.ts': "export { time } from './time/time.ts';",
  'migrations/migrate.ts': '',
  'migrations/0001-a.up.sql': '',
  'services/users/users.service.ts':
    "import { time } from '../../domain/time/time.ts'; import '../../runtime/bus.ts';",
  'console/src/main.tsx': '',
  'runtime/bus.ts': '',
  'stack/commands/console-build.ts': "build('console');",
  'stack/processes/services.ts': 'import(name);',
  'stack/start.ts': "import './processes/services.ts';",
  'test/unit.test.ts': "import { time } from '../domain/unit.ts';",
  'test/none.test.ts': "import t from 'tap';",
  'test/program.test.ts': "spawn(join(root, '../stack/start.ts'));",
  'test/database.test.ts': "import '../migrations/migrate.ts';",
  'test/page.test.ts': "import '../stack/commands/console-build.ts';",
  'test/tree.test.ts': "readdirSync(join(root, 'domain'));",
  'test/document.test.ts': "readFileSync(join(root, 'notes.md'));",
};
const tests = Object.keys(files).filter((name) => name.endsWith('.test.ts'));

/** A repository with a branch that left main, where main went on. */
function repository(t: Test) {
  const root = mkdtempSync(join(tmpdir(), 'changed-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Tests', '-c', 'user.email=tests@example.com', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  const commit = () => {
    git('add', '.');
    git('commit', '-q', '--no-gpg-sign', '-m', 'A commit');
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  git('init', '-q', '-b', 'main');
  commit();
  git('checkout', '-q', '-b', 'work');
  git('checkout', '-q', 'main');
  write('migrations/0001-a.up.sql', 'select 1');
  commit();
  git('checkout', '-q', 'work');
  return { root, write, commit, touched: () => touchedTests(root, tests).files.toSorted() };
}

t.test('without a change no test is touched', async (t) => {
  t.same(repository(t).touched(), []);
});

const cases: readonly (readonly [changed: string, touched: readonly string[]])[] = [
  ['console/src/main.tsx', ['page']],
  ['domain/time/time.ts', ['program', 'tree', 'unit']],
  ['domain/unit.ts', ['tree', 'unit']],
  ['services/users/users.service.ts', ['program']],
  ['runtime/bus.ts', ['program']],
  ['migrations/0001-a.up.sql', ['database']],
  ['notes.md', ['document']],
  ['test/none.test.ts', ['none']],
  ['package.json', ['database', 'document', 'none', 'page', 'program', 'tree', 'unit']],
];
t.test('a change touches the tests that use the file, committed or not', async (t) => {
  for (const [changed, touched] of cases) {
    const { write, commit, touched: now, root } = repository(t);
    write(changed, `${files[changed]} `);
    const want = touched.map((name) => `test/${name}.test.ts`);
    t.same(now(), want, `${changed}, not committed`);
    commit();
    t.same(now(), want, `${changed}, committed`);
    t.same(changedFiles(root).files, [changed], 'and what main changed meanwhile is not of it');
  }
});

t.test('a new file that is not committed is a change, and so is a deleted one', async (t) => {
  const { root, write, touched } = repository(t);
  write('domain/new.ts', '');
  t.same(changedFiles(root).files, ['domain/new.ts']);
  t.same(touched(), ['test/tree.test.ts']);
  rmSync(join(root, 'domain/new.ts'));
  rmSync(join(root, 'domain/unit.ts'));
  t.same(touched(), ['test/tree.test.ts', 'test/unit.test.ts']);
});

t.test('without a branch main only what is not committed is a change, which the base says', async (t) => {
  const { root, write, commit } = repository(t);
  t.type(touchedTests(root, tests).base, 'string');
  execFileSync('git', ['branch', '-D', 'main'], { cwd: root, stdio: 'ignore' });
  write('domain/unit.ts', 'export {};');
  commit();
  t.strictSame(touchedTests(root, tests), { base: null, files: [] });
  write('domain/unit.ts', '');
  t.strictSame(touchedTests(root, tests), { base: null, files: ['test/unit.test.ts', 'test/tree.test.ts'] });
});
