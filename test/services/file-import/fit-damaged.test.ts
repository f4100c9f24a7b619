import t from 'tap';
import { fitEntries } from '../../../services/file-import/rules/read-fit.ts';
import { createUser, startApi } from '../../support/api.ts';
import { FitWriter } from '../../support/fit-writer.ts';
import { activityFile, answersOf, begin, writeActivity, writeRecords, writeSession } from './fit-files.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const left = (type: string, reason: string, items: number) => ({ type, reason, items });

const wholeRun = (records = 100): Buffer =>
  writeActivity(
    writeSession(writeRecords(activityFile(), begin, records), begin, records),
    begin + records,
  ).bytes();

async function imported(file: Buffer) {
  const userId = await createUser(api);
  const done = await importFile(api, userId, file);
  const answers = answersOf(api, userId);
  const workouts = await answers.workouts();
  const [first] = workouts;
  const { heart_rate = [] } = first === undefined ? {} : await answers.streams(first.id);
  return { done, workouts, points: heart_rate.length };
}

t.test('a wrong or missing checksum is named, and the file is stored', async (t) => {
  const wrong = wholeRun();
  wrong.writeUInt16LE(0x1234, wrong.length - 2);
  const reason = 'The checksum of the FIT file is wrong.';
  t.match(await imported(wrong), {
    done: { state: 'done', skipped: [left('checksum', reason, 1)] },
    points: 100,
  });
  const missing = {
    state: 'done',
    skipped: [left('checksum', 'The checksum of the FIT file is missing.', 1)],
  };
  for (const bytes of [1, 2])
    t.match(await imported(wholeRun().subarray(0, -bytes)), { done: missing, points: 100 });
  const header = wholeRun();
  header.writeUInt16LE(1, 12);
  t.match(await imported(header), {
    done: {
      state: 'done',
      skipped: [left('checksum', 'The checksum of the header of the FIT file is wrong.', 1), {}],
    },
  });
});

t.test(
  'a file that ends within a message, a definition or the session keeps what stands before',
  async (t) => {
    const error = 'The FIT file is cut off; what stands before was stored.';
    const whole = wholeRun();
    const records = whole.indexOf(Buffer.from([0x41, 0, 0, 20, 0]));
    const recordBytes = 12;
    const tenRecords = records + 6 + 4 * 3 + 10 * recordBytes;
    t.match(await imported(whole.subarray(0, tenRecords + 5)), {
      done: { state: 'failed', error },
      points: 10,
    });
    t.match(await imported(whole.subarray(0, whole.length - 20)), {
      done: { state: 'failed', error },
      points: 100,
    });
  },
);

t.test('a size of the file that was not written, or is wrong', async (t) => {
  for (const size of [0, 0xffffffff, 500]) {
    const file = wholeRun();
    file.writeUInt32LE(size, 4);
    t.match(await imported(file), { done: { state: 'done' }, points: 100 });
  }
});

t.test('a message that cannot be read costs itself', async (t) => {
  const file = wholeRun();
  const records = file.indexOf(Buffer.from([0x41, 0, 0, 20, 0])) + 6 + 4 * 3;
  file[records + 50 * 12] = 0x0b;
  const { done, points } = await imported(file);
  t.match(done, {
    state: 'done',
    counts: { workouts: 1 },
    skipped: [left('message', 'A message cannot be read.', 1), { type: 'checksum' }],
  });
  t.equal(points, 99);
});

t.test('a damaged first file does not cost the second one', async (t) => {
  const damaged = activityFile();
  writeRecords(damaged, begin, 10).raw(Buffer.alloc(500, 0x3f));
  const { done, workouts } = await imported(Buffer.concat([damaged.bytes(), wholeRun()]));
  t.match(done, {
    state: 'failed',
    error: 'The FIT file is damaged; what can be read was stored.',
    skipped: [left('message', 'A message cannot be read.', 1)],
  });
  t.equal(done.counts.workouts, 2);
  t.ok(workouts.length >= 1);
});

t.test('a field whose size or type cannot be costs the field', async (t) => {
  const file = activityFile();
  file.define(1, 20, [
    [253, 'uint32'],
    [3, 'uint8'],
    [7, 'uint16', 3],
    [5, 'uint32', 2],
    [6, 'uint16', 0],
  ]);
  for (let second = 0; second < 10; second += 1) file.data(1, [begin + second, 130, 200, 7, 1]);
  const { done, points } = await imported(writeSession(file, begin, 10).bytes());
  t.equal(points, 10);
  t.match(done.skipped, [left('record', 'Fields whose size does not fit their type are not kept.', 10)]);
});

t.test('a file without a message that can be read fails', async (t) => {
  const nothing = new FitWriter().raw([0x01, 0x02, 0x03]).bytes();
  for (const file of [nothing, nothing.subarray(0, 14), new FitWriter().bytes()])
    t.match(await imported(file), {
      done: { state: 'failed', error: 'The FIT file is cut off or damaged.' },
      workouts: [],
    });
});

t.test('a file with every byte changed in turn is read to an end', async (t) => {
  const context = { rules: null, timeZone: null, nowMs: Date.parse('2026-11-29') };
  const file = wholeRun(8);
  const faults: string[] = [];
  for (let at = 12; at < file.length; at += 1)
    for (const value of [0, 0x0f, 0x40, 0x6f, 0x80, 0xff]) {
      const changed = Buffer.from(file);
      changed[at] = value;
      try {
        fitEntries(changed, context);
      } catch (error) {
        if (!String(error).includes('cut off or damaged')) faults.push(`${at} ${value}: ${error}`);
      }
    }
  t.same(faults, []);
});

t.test('definitions of 255 fields, long chains and numbers out of range', async (t) => {
  const wide = activityFile();
  const fields = Array.from({ length: 255 }, (_, number) => [number, 'uint8', 255] as const);
  wide.define(1, 20, fields, {
    developers: Array.from({ length: 255 }, (_, number) => [number, 255, 0] as const),
  });
  wide.data(
    1,
    [],
    Array.from({ length: 255 * 255 }, () => 1),
  );
  const context = { rules: null, timeZone: null, nowMs: Date.parse('2026-11-29') };
  const { notes } = fitEntries(wide.bytes(), context);
  t.match(
    notes.find(({ reason }) => reason.startsWith('Fields of developers')),
    { type: 'record', items: 1 },
  );
  const chain = Buffer.concat(Array.from({ length: 1200 }, () => activityFile().bytes()));
  const chained = fitEntries(chain, context);
  t.match(chained.notes, [left('file', 'There are too many FIT files behind one another.', 200)]);
  const floats = activityFile();
  floats.define(1, 20, [
    [253, 'uint32'],
    [5, 'float32'],
    [3, 'uint8'],
  ]);
  const values = [Number.NaN, Number.POSITIVE_INFINITY, 1e38, -1];
  for (const [second, value] of values.entries()) floats.data(1, [begin + second, value, 120]);
  const { entries, problem } = fitEntries(writeSession(floats, begin, 4).bytes(), context);
  t.equal(problem, null);
  t.match(entries, [{ kind: 'item', item: { workout: { distance_meters: 12 } } }]);
});
