import { join } from 'node:path';
import t from 'tap';
import { wantedFiles } from './wanted-files.ts';

const root = join(import.meta.dirname, '../..');
const browserTest = 'test/browser/console.browser.ts';

t.test('a run of all tests has those of the browser where Chromium is', async (t) => {
  const { files, notes } = wantedFiles(root, [], true);
  t.ok(files.includes(browserTest) && files.includes('test/support/wanted-files.test.ts'));
  t.strictSame(notes, []);
});

t.test('without Chromium a line says how many files were skipped, and why', async (t) => {
  for (const args of [[], ['--changed']]) {
    const { files, notes } = wantedFiles(root, args, false);
    t.strictSame(
      files.filter((file) => file.includes('.browser.')),
      [],
    );
    t.match(notes, [/^Skipped [1-9]\d* files of browser tests \(test\/browser\): Chromium is not installed/]);
  }
});

t.test('a file that is named is run in any case, and fails by itself without Chromium', async (t) => {
  t.strictSame(wantedFiles(root, [browserTest], false), { files: [browserTest], least: 1, notes: [] });
  t.ok(wantedFiles(root, ['test/browser/c*.browser.ts'], false).files.includes(browserTest));
});
