import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { keepDurations, readDurations } from './durations.ts';

const report = (file: string, seconds: number, failed = 0) => ({
  file,
  seconds,
  failed,
  passed: 1,
  problems: [],
});

t.test('durations of this machine replace the committed ones; failed files do not count', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'durations-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  t.same(readDurations(root), {}, 'without any table');
  mkdirSync(join(root, 'test'));
  writeFileSync(join(root, 'test/durations.json'), JSON.stringify({ a: 10, b: 20, c: 30 }));
  keepDurations(root, [report('a', 1), report('b', 2, 1)]);
  keepDurations(root, [report('d', 4)]);
  t.same(readDurations(root), { a: 1, b: 20, c: 30, d: 4 });
  writeFileSync(join(root, '.tap/durations.json'), 'half of a t');
  t.same(readDurations(root), { a: 10, b: 20, c: 30 }, 'a table that cannot be read changes nothing');
});
