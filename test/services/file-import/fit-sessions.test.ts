import t from 'tap';
import { mostSessions } from '../../../providers/file/fit.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { fitTime } from '../../support/fit-writer.ts';
import { activityFile, writeSession } from './fit-files.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
const begin = fitTime('2026-03-02T00:00:00Z');

/** A FIT file with sessions of a minute, one each minute. */
function fileOf(sessions: number, product = 1): Buffer {
  const file = activityFile(product);
  for (let minute = 0; minute < sessions; minute += 1) writeSession(file, begin + minute * 60, 60);
  return file.bytes();
}

async function read(file: Buffer) {
  const { batches } = await openFile({ length: file.length, from: async (at) => file.subarray(at) }, context);
  const { value } = await batches.next();
  return value;
}

const tooMany = (items: number) => ({ type: 'workouts', reason: 'The file has too many sessions.', items });

t.test('sessions beyond the most of a file are named, and the others are kept', async (t) => {
  t.match(await read(fileOf(mostSessions)), { counts: { workouts: mostSessions }, skipped: [] });
  t.match(await read(fileOf(mostSessions + 2)), {
    counts: { workouts: mostSessions },
    skipped: [tooMany(2)],
  });
});

t.test('files behind one another have as many sessions together', async (t) => {
  const files = Buffer.concat([fileOf(60), fileOf(40, 2), fileOf(30, 3)]);
  t.match(await read(files), { counts: { workouts: mostSessions }, skipped: [tooMany(30)] });
});
