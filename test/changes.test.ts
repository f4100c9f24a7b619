import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { inventedChanges } from './fixtures/invented-changes.ts';

/*
 * docs/changes.md promises how many files a change of each kind touches. Each kind is made here as an invented change, and
 * compared with its row: a file that the row does not name, or a named one that the change does not need, is a wrong row.
 */
const root = join(import.meta.dirname, '..');
const most = 5;

interface Row {
  readonly kind: string;
  /** Of each numbered entry the files that it names, as patterns. */
  readonly entries: readonly (readonly RegExp[])[];
  readonly text: string;
}

const rows: readonly Row[] = readFileSync(join(root, 'docs/changes.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| a'))
  .map((text) => {
    const [, kind = '', files = ''] = text.split('|').map((cell) => cell.trim());
    return { kind, text, entries: files.split(/\d\. /).slice(1).map(patternsOf) };
  });

// `providers/<name>/normalise/…` is any file below that folder of any name; `fields…` begins a name.
function patternsOf(entry: string): RegExp[] {
  const names = [...entry.matchAll(/`([^`]+)`|(\bCHANGELOG\.md)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  return names.map((name) => {
    const pattern = name
      .replaceAll('.', '\\.')
      .replaceAll(/<\w+>/g, '[\\w-]+')
      .replaceAll('NNNN', '\\d{4}')
      .replaceAll('…', '.*');
    return new RegExp(`^${pattern}`);
  });
}

t.test(
  'every kind of change has a row of five entries at most, with a test that notices what is forgotten',
  async (t) => {
    t.ok(rows.length >= 6);
    for (const { kind, entries, text } of rows) {
      t.ok(entries.length > 0 && entries.length <= most, kind);
      const tests = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
      t.ok(tests.length > 0, `${kind} names a test`);
      t.same(
        tests.filter((path) => !existsSync(join(root, path))),
        [],
      );
    }
  },
);

for (const { kind, files } of inventedChanges)
  t.test(`${kind} touches the files of its row, and no others`, async (t) => {
    const row = rows.find((one) => one.kind === kind);
    const changed = Object.entries(files).filter(([path, change]) => {
      const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
      return change(before) !== before;
    });
    t.equal(changed.length, Object.keys(files).length);
    const paths = Object.keys(files);
    const patterns = row?.entries ?? [];
    t.same(
      paths.filter((path) => !patterns.flat().some((pattern) => pattern.test(path))),
      [],
      'the row names each',
    );
    t.same(
      patterns.filter(
        (entry) => entry.length > 0 && !entry.some((pattern) => paths.some((path) => pattern.test(path))),
      ),
      [],
      'each entry is needed',
    );
  });
