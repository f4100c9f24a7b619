import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { fits, makeMemoryFolder, programsRunIn } from './memory-folder.ts';

const GB = 1024 ** 3;
const room = { type: 0x01021994, folderBytes: 12 * GB, memoryBytes: 12 * GB };

t.test('a folder in memory is used only where it is in memory and has room', async (t) => {
  t.ok(fits(room));
  t.notOk(fits({ ...room, type: 0xef53 }), 'ext4');
  t.notOk(fits({ ...room, folderBytes: 0.0625 * GB }), 'the usual size in a container');
  t.notOk(fits({ ...room, memoryBytes: 2 * GB }));
  t.equal(makeMemoryFolder(t.testdir(), null), null);
  t.equal(makeMemoryFolder(join(t.testdir(), 'missing')), null);
});

t.test('programs run in a folder, but not where the file system runs none', async (t) => {
  const folder = t.testdir();
  t.ok(programsRunIn(folder));
  t.notOk(programsRunIn(folder, () => ({ status: null })));
  t.same(readdirSync(folder), []);
});

t.test('what a killed run left is removed, what belongs to a running one is not', async (t) => {
  const parent = t.testdir();
  const mine = makeMemoryFolder(parent, room) ?? '';
  const [left, young, other] = [
    `${parent}/pulsebus-test-left`,
    `${parent}/pulsebus-test-young`,
    `${parent}/other`,
  ];
  for (const folder of [left, young, other]) mkdirSync(folder);
  const dead = JSON.stringify({ pid: 999_999_999, command: 'node test/run.ts' });
  for (const folder of [left, other]) writeFileSync(join(folder, 'run.lock'), dead);
  const next = makeMemoryFolder(parent, room) ?? '';
  const there = readdirSync(parent).map((name) => join(parent, name));
  t.same(there.toSorted(), [mine, next, young, other].toSorted());
  t.ok(existsSync(join(next, 'run.lock')));
});
