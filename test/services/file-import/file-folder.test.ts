import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { fileFolder } from '../../../services/file-import/work/file-folder.ts';

t.test(
  'only folders with the id of an import are files: the others of IMPORT_DIR are not deleted',
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'imports-'));
    const folder = fileFolder({
      DATA_DIR: '.data',
      IMPORT_DIR: root,
      ENCRYPTION_KEY: ['a secret that is long enough'],
    });
    const id = randomUUID();
    await folder.write(id, 0, Buffer.from('a part'));
    mkdirSync(join(root, 'lost+found'));
    mkdirSync(join(root, `${id}.old`));
    writeFileSync(join(root, 'notes.txt'), 'of an operator');
    writeFileSync(join(root, randomUUID()), 'no folder');
    symlinkSync(tmpdir(), join(root, randomUUID()));
    t.same(await folder.ids(), [id]);
  },
);
