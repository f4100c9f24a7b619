import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { filePartBytes } from '../../../domain/file-part.ts';
import { collector } from '../../../runtime/idle-memory.ts';
import { ReadingEnded } from '../../../runtime/reading-thread.ts';
import { entriesPerBatch } from '../../../services/file-import/rules/batch.ts';
import { FileProblem } from '../../../services/file-import/rules/file-bytes.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { fileBytes, fileFolder } from '../../../services/file-import/work/file-folder.ts';
import { openReader, readerWith } from '../../../services/file-import/work/open-reader.ts';

const settings = {
  DATA_DIR: '.data',
  DISK_RESERVE_MIB: 0,
  IMPORT_DIR: mkdtempSync(join(tmpdir(), 'imports-')),
  ENCRYPTION_KEY: ['a secret of the test that is long enough'],
};
const folder = fileFolder(settings);
const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };

/** Stores a file as the service does. */
async function stored(file: Buffer) {
  const id = randomUUID();
  for (let part = 0; part * filePartBytes < file.length; part += 1)
    await folder.write(id, part, file.subarray(part * filePartBytes, (part + 1) * filePartBytes));
  return { folder: settings, id, bytes: file.length, context, cursor: { path: [], position: 0 } };
}

const lines = Array.from({ length: 3 * entriesPerBatch }, (_, at) => {
  const time = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
  return `heart_rate,${time},60`;
});
const table = Buffer.from(['type,timestamp,value', ...lines].join('\n'));

t.test(
  'a file whose reading takes too much memory is refused with a sentence, and none beside it',
  async (t) => {
    const read = readerWith({ maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 });
    const beside = await read(await stored(table));
    t.teardown(beside.close);
    t.match(await beside.batches.next(), { value: { position: entriesPerBatch } });
    const entries = Array.from(
      { length: 100_000 },
      (_, at) => `<MetadataEntry key="${at}" value="${'v'.repeat(400)}"/>`,
    );
    const document = `<HealthData><Record type="a">${entries.join('')}</Record></HealthData>`;
    const reader = await read(await stored(Buffer.from(document)));
    t.teardown(reader.close);
    await t.rejects(reader.batches.next(), new FileProblem('Reading the file takes too much memory.'));
    t.match(await beside.batches.next(), { value: { position: 2 * entriesPerBatch } }, 'it was made before');
    await t.rejects(beside.batches.next(), new ReadingEnded(null, undefined));
  },
);

t.test(
  'names that stand far apart in a document do not keep all that is between them in memory',
  async (t) => {
    const names = Array.from({ length: 96 }, (_, at) => `a name that is cut from its chunk ${at}`);
    const records = names.map(
      (name) => `<Record type="type: ${name}" sourceName="${name}" device="device: ${name}"
    startDate="2026-01-02 07:00:00 +0100" endDate="2026-01-02 07:00:00 +0100"/>`,
    );
    const document = `<HealthData>${records.join(' '.repeat(filePartBytes))}</HealthData>`;
    const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };
    const reader = await readerWith(resourceLimits)(await stored(Buffer.from(document)));
    t.teardown(reader.close);
    t.match(await reader.batches.next(), { value: { position: names.length } });
  },
);

t.test('a file without a batch for too long is refused with a sentence', async (t) => {
  const late = new FileProblem('Reading the file takes too long.');
  // A thread takes longer to start.
  await t.rejects(readerWith(undefined, 0)(await stored(table)), late);
});

t.test('a batch that was taken is not kept in memory', async (t) => {
  const reader = await openReader(await stored(table));
  t.teardown(reader.close);
  const takenBatch = async () => new WeakRef(Object((await reader.batches.next()).value));
  const [first] = [await takenBatch(), await takenBatch()];
  await setImmediate();
  collector()();
  t.equal(first.deref(), undefined);
});

t.test('entries that are stored already are passed over in as many steps as they were stored', async (t) => {
  const input = await stored(table);
  const context = { ...input.context, skip: 2 * entriesPerBatch };
  const reader = await openReader({ ...input, context });
  t.teardown(reader.close);
  const positions: number[] = [];
  for await (const { position } of reader.batches) positions.push(position);
  t.same(positions, [3 * entriesPerBatch, 3 * entriesPerBatch]);
  const { batches } = await openFile(fileBytes(folder, input.id, input.bytes), context);
  t.same([(await batches.next()).value, (await batches.next()).value], [null, null]);
});
