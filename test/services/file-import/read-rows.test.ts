import t from 'tap';
import { skipped } from '../../../providers/file/entry.ts';
import { contentOfChunks } from '../../../services/file-import/rules/content.ts';
import { FileProblem } from '../../../services/file-import/rules/file-bytes.ts';
import { readRows } from '../../../services/file-import/rules/read-rows.ts';

/** The rows of a table, whose bytes arrive in chunks of a size. */
async function rowsOf(text: string, headerLine = 0, chunkBytes = 1_000_000) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const content = await contentOfChunks(chunks(), bytes.length);
  const rows: unknown[] = [];
  const read = (row: object) => {
    rows.push(row);
    return [skipped('row', 'A test.')];
  };
  for await (const _ of readRows(content, { form: 'rows', pattern: /./, headerLine, read }, 'a.csv'));
  return rows;
}

t.test('recognises the dialect of a table', async (t) => {
  const expected = [
    { a: '1', 'b c': 'x, "y"' },
    { a: '2', 'b c': 'two\nlines' },
  ];
  for (const text of [
    'a,b c\n1,"x, ""y"""\n2,"two\nlines"\n',
    '\uFEFFa,b c\r\n1,"x, ""y"""\r\n2,"two\nlines"',
    'a;b c\n1;"x, ""y"""\n2;"two\nlines"\n\n',
    'a\tb c\n1\t"x, ""y"""\n2\t"two\nlines"\n',
  ])
    t.same(await rowsOf(text), expected, JSON.stringify(text));
});

t.test('passes over a line above the header, and numbers columns that stand again', async (t) => {
  t.same(await rowsOf('com.maker.table,1234,5\na,b,a\n1,2,3,4\n5\n', 1), [
    { a: '1', b: '2', 'a 2': '3' },
    { a: '5', b: '', 'a 2': '' },
  ]);
});

t.test('reads rows that are cut between two pieces of the file', async (t) => {
  const lines = Array.from(
    { length: 30_000 },
    (_, at) => `${at},"ä quoted ""cell"", with\na line break ${at}"`,
  );
  const rows = await rowsOf(['n,text', ...lines].join('\n'), 0, 70_001);
  t.equal(rows.length, lines.length);
  t.same(rows.at(-1), { n: '29999', text: 'ä quoted "cell", with\na line break 29999' });
});

t.test('a quote that does not end does not fill the memory', async (t) => {
  const text = `a,b\n1,"${'x\n'.repeat(1_000_000)}`;
  await t.rejects(rowsOf(text, 0, 100_000), new FileProblem('A row of a table is too long.'));
});
