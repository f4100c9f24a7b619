import t from 'tap';
import { groupFiles } from './file-groups.ts';

const names = (folder: string, count: number) =>
  Array.from({ length: count }, (_, n) => `test/${folder}/${String(n).padStart(2, '0')}.test.ts`);

t.test('files share groups across folders, 20 each', async (t) => {
  const files = [...names('domain', 2), ...names('flow', 2), ...names('http/projects', 20)];
  t.same(groupFiles(files.toReversed(), {}), [files.slice(0, 20), files.slice(20)]);
});

t.test('a group takes no more than 30 s, a longer file runs alone, the longest group begins', async (t) => {
  const [a = '', b = '', c = '', d = ''] = names('http', 4);
  t.same(groupFiles([d, c, b, a], { [a]: 10, [b]: 20, [c]: 3, [d]: 40 }), [[d], [a, b], [c]]);
});

t.test('files that drive a browser share one process', async (t) => {
  const files = ['test/browser/a.browser.ts', 'test/browser/b.browser.ts'];
  t.same(groupFiles(files, { [files[0] ?? '']: 80, [files[1] ?? '']: 80 }), [files]);
});
