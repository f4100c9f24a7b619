import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { zipOf } from '../../../sandbox/files/zip.ts';
import {
  BytesUnavailable,
  type FileBytes,
  FileProblem,
} from '../../../services/file-import/rules/file-bytes.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { fileBytes, fileFolder } from '../../../services/file-import/work/file-folder.ts';
import { appleExport, element, record, watch } from './importing.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
const damaged = new FileProblem('The archive is cut off or damaged.');
const pieceBytes = 1000;

/** The bytes of a file, of which those from a position on cannot be read. */
function bytesOf(file: Buffer, lostFrom = file.length): FileBytes {
  return {
    length: file.length,
    async from(at) {
      if (at + pieceBytes > lostFrom && at < file.length && lostFrom < file.length)
        throw new BytesUnavailable('the disk is gone');
      return file.subarray(at, at + pieceBytes);
    },
  };
}

/** All batches of a file, and the error that ended them. */
async function read(bytes: FileBytes, skip = 0) {
  const batches = [];
  try {
    for await (const batch of (await openFile(bytes, { ...context, skip })).batches)
      if (batch !== null) batches.push(batch);
    return { batches, error: null };
  } catch (error) {
    return { batches, error };
  }
}

const folderName = 'apple_health_export';
const rate = (minute: number, value = 60) => {
  const at = `07:${String(minute).padStart(2, '0')}:00`;
  return record('HeartRate', at, at, { unit: 'count/min', value });
};
const asleep = record('HKCategoryTypeIdentifierSleepAnalysis', '00:00:00', '06:00:00', {
  value: 'HKCategoryValueSleepAnalysisAsleepCore',
});
const whole = appleExport([asleep, ...Array.from({ length: 60 }, (_, minute) => rate(minute))]);
const zip = zipOf([{ name: `${folderName}/export.xml`, bytes: Buffer.from(whole) }]);
const localHeaderBytes = 30 + `${folderName}/export.xml`.length;

t.test('an archive whose file has a damaged beginning is refused with a sentence', async (t) => {
  // The signature of the file behind the letters by which an archive is recognised, and its first block.
  for (const at of [2, localHeaderBytes]) {
    const file = Buffer.from(zip);
    file.fill(0xff, at, at + 2);
    t.same(await read(bytesOf(file)), { batches: [], error: damaged });
  }
});

t.test('a route with a damaged beginning is named, and its workout is kept', async (t) => {
  const times = { startDate: '2026-03-02 08:00:00 +0100', endDate: '2026-03-02 08:30:00 +0100' };
  const route = '<WorkoutRoute><FileReference path="/a.gpx"/></WorkoutRoute>';
  const workout = element(
    'Workout',
    { workoutActivityType: 'HKWorkoutActivityTypeRunning', ...watch, ...times },
    [route],
  );
  const file = zipOf([
    { name: `${folderName}/a.gpx`, bytes: Buffer.from('<gpx></gpx>') },
    { name: `${folderName}/export.xml`, bytes: Buffer.from(appleExport([workout])) },
  ]);
  file.fill(0xff, 2, 40);
  const { batches, error } = await read(bytesOf(file));
  t.equal(error, null);
  t.match(batches, [{ counts: { workouts: 1 } }]);
  t.match(
    batches.flatMap(({ skipped }) => skipped).find(({ type }) => type === 'route'),
    { reason: 'The route of a workout cannot be read.' },
  );
});

t.test('bytes that cannot be read now are no problem of the file', async (t) => {
  for (const file of [zip, Buffer.from(whole)])
    for (const lostFrom of [0, file.length / 2, file.length - 1]) {
      const { batches, error } = await read(bytesOf(file, lostFrom));
      t.ok(error instanceof BytesUnavailable, `${error}`);
      t.notOk(
        batches.some(({ counts }) => 'sleep' in counts),
        'no night is stored, so that the position is that of an entry',
      );
    }
});

t.test('an attempt that comes less far does not take the position back', async (t) => {
  const bytes = Buffer.from(whole);
  const { batches } = await read(bytesOf(bytes, bytes.length - 1));
  const reached = batches.at(-1)?.position ?? 0;
  t.ok(reached > 1, `${reached} entries`);
  const again = await read(bytesOf(bytes, 3000), reached);
  t.same(again.batches, []);
  t.ok(again.error instanceof BytesUnavailable);
});

t.test('a part that is not there, or that no secret decrypts, can be read later', async (t) => {
  const settings = (secret: string) => ({
    ...{ DATA_DIR: '.data', IMPORT_DIR: mkdtempSync(join(tmpdir(), 'imports-')) },
    ENCRYPTION_KEY: [`the ${secret} secret of the test that is long enough`],
  });
  const unavailable = new BytesUnavailable('The stored file cannot be read.');
  const one = settings('first');
  const id = randomUUID();
  await t.rejects(fileBytes(fileFolder(one), id, 10).from(0), unavailable);
  await fileFolder(one).write(id, 0, Buffer.from('0123456789'));
  t.same(await fileBytes(fileFolder(one), id, 10).from(0), Buffer.from('0123456789'));
  const other = fileFolder({ ...settings('second'), IMPORT_DIR: one.IMPORT_DIR });
  await t.rejects(fileBytes(other, id, 10).from(0), unavailable);
});
