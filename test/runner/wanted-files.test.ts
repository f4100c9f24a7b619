import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { wantedFiles } from './wanted-files.ts';

const root = join(import.meta.dirname, '../..');
const browserTest = 'test/browser/console.browser.ts';

t.test('a run of all tests has those of the browser where Chromium is', async (t) => {
  const { files, notes } = wantedFiles(root, [], true);
  t.ok(files.includes(browserTest) && files.includes('test/runner/wanted-files.test.ts'));
  t.strictSame(notes, []);
});

t.test('without Chromium a line says how many files were skipped, and why', async (t) => {
  for (const args of [[], ['--changed']]) {
    const { files, notes } = wantedFiles(root, args, false);
    t.strictSame(
      files.filter((file) => file.includes('.browser.')),
      [],
    );
    t.equal(notes.length, 1);
    t.match(notes, [/^Skipped [1-9]\d* files of browser tests \(test\/browser\): Chromium is not installed/]);
  }
});

t.test('a file that is named is run in any case, and fails by itself without Chromium', async (t) => {
  t.strictSame(wantedFiles(root, [browserTest], false), { files: [browserTest], lost: [], notes: [] });
  t.ok(wantedFiles(root, ['test/browser/c*.browser.ts'], false).files.includes(browserTest));
});

t.test('a test file that no pattern finds is lost, and so is a name without a file', async (t) => {
  t.strictSame(wantedFiles(root, [], true).lost, []);
  t.strictSame(wantedFiles(root, ['test/none.test.ts', browserTest], true).lost, ['test/none.test.ts']);
  const other = t.testdir({ test: { fixtures: {} } });
  t.strictSame(wantedFiles(other, [], true).lost, ['test/**/*.test.ts'], 'a run of nothing');
  const text = "import t from 'tap';\n\nt.pass();\n";
  mkdirSync(join(other, 'test/http'));
  for (const name of ['http/a.test.ts', 'http/b.tests.ts', 'fixtures/c.ts', 'd.fault.ts'])
    writeFileSync(join(other, 'test', name), text);
  writeFileSync(join(other, 'test/http/help.ts'), "import type { Test } from 'tap';\n");
  const { files, lost } = wantedFiles(other, [], true);
  t.strictSame({ files, lost }, { files: ['test/http/a.test.ts'], lost: ['test/http/b.tests.ts'] });
});
