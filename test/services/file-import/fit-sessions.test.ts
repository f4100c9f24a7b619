import { FitBaseType, FitEncoder } from 'fit-file-parser';
import t from 'tap';
import { mostSessions } from '../../../providers/file/fit.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';

const nowMs = Date.parse('2026-06-01');
const context = { nowMs, rules: null, skip: 0 };
const session = { message: 18, sport: 5, startTime: 2, elapsed: 7 } as const;

/** A FIT file with sessions of a minute, one each minute. */
function fileOf(sessions: number): Buffer {
  const encoder = new FitEncoder();
  const begin = Date.parse('2026-03-02');
  const { Enum, Uint32 } = FitBaseType;
  for (let minute = 0; minute < sessions; minute += 1) {
    const start = FitEncoder.toFitTimestamp(new Date(begin + minute * 60_000));
    encoder.writeMessage(
      session.message,
      [
        { number: session.startTime, baseType: Uint32, value: start, size: 4 },
        { number: session.sport, baseType: Enum, value: 1, size: 1 },
        { number: session.elapsed, baseType: Uint32, value: 60_000, size: 4 },
      ],
      0,
    );
  }
  return Buffer.from(encoder.close());
}

async function read(file: Buffer) {
  const { batches } = await openFile({ length: file.length, from: async (at) => file.subarray(at) }, context);
  const { value } = await batches.next();
  return value;
}

t.test('sessions beyond the most of a file are named, and the others are kept', async (t) => {
  t.match(await read(fileOf(mostSessions)), { counts: { workouts: mostSessions }, skipped: [] });
  t.match(await read(fileOf(mostSessions + 2)), {
    counts: { workouts: mostSessions },
    skipped: [{ type: 'workouts', reason: 'The file has too many sessions.', items: 2 }],
  });
});
