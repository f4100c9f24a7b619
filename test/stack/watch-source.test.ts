import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { watchSource } from '../../stack/commands/watch-source.ts';

t.test('replacing a watched file by rename is noticed each time', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'pulsebus-watch-'));
  const folder = join(root, 'services/users');
  mkdirSync(folder, { recursive: true });
  for (const skipped of ['test', 'node_modules', '.data']) mkdirSync(join(root, skipped));
  const file = join(folder, 'listing.ts');
  writeFileSync(file, '1');
  const seen: string[] = [];
  let wake = () => {};
  const stop = watchSource(root, (name) => {
    seen.push(name);
    wake();
  });
  t.teardown(() => {
    stop();
    rmSync(root, { recursive: true });
  });
  const next = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    return promise;
  };
  const renameOver = (text: string) => {
    writeFileSync(`${file}.swp`, text);
    renameSync(`${file}.swp`, file);
  };
  for (const text of ['2', '3', '4']) {
    const change = next();
    renameOver(text);
    await change;
  }
  t.strictSame(seen, ['services/users/listing.ts', 'services/users/listing.ts', 'services/users/listing.ts']);

  for (const ignored of [
    'test/a.ts',
    'node_modules/a.ts',
    '.data/a.json',
    'package-lock.json',
    'services/a.log',
  ])
    writeFileSync(join(root, ignored), '');
  const made = next();
  mkdirSync(join(root, 'services/new'));
  writeFileSync(join(root, 'start.ts'), '');
  await made;
  t.strictSame(seen.slice(3), ['start.ts']);

  const inNew = next();
  writeFileSync(join(root, 'services/new/new.sql'), '');
  await inNew;
  t.strictSame(seen.slice(4), ['services/new/new.sql'], 'a folder that came later is watched too');
});
