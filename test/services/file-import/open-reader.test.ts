import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { filePartBytes } from '../../../contracts/file-import.ts';
import { fileFolder } from '../../../services/file-import/reading/file-folder.ts';
import { FileProblem } from '../../../services/file-import/reading/file-problem.ts';
import { openReader } from '../../../services/file-import/reading/open-reader.ts';

const settings = {
  DATA_DIR: '.data',
  IMPORT_DIR: mkdtempSync(join(tmpdir(), 'imports-')),
  ENCRYPTION_KEY: ['a secret of the test that is long enough'],
};
const folder = fileFolder(settings);
const context = { nowMs: Date.parse('2026-06-01'), rules: null, skip: 0 };

/** Stores a file as the service does. */
async function stored(file: Buffer) {
  const id = randomUUID();
  for (let part = 0; part * filePartBytes < file.length; part += 1)
    await folder.write(id, part, file.subarray(part * filePartBytes, (part + 1) * filePartBytes));
  return { folder: settings, id, bytes: file.length, context };
}

t.test('a file whose reading takes too much memory is refused with a sentence', async (t) => {
  const entries = Array.from(
    { length: 100_000 },
    (_, at) => `<MetadataEntry key="${at}" value="${'v'.repeat(400)}"/>`,
  );
  const input = await stored(
    Buffer.from(`<HealthData><Record type="a">${entries.join('')}</Record></HealthData>`),
  );
  const reader = await openReader(input, { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 });
  t.teardown(reader.close);
  await t.rejects(reader.batches.next(), new FileProblem('Reading the file takes too much memory.'));
});
