import { skipped } from '../../../providers/file/entry.ts';
import {
  type FitFile,
  type FitMessage,
  fitMonitoring,
  fitRecordings,
  mostSessions,
} from '../../../providers/file/fit.ts';
import { readRecording } from '../../../providers/file/recording.ts';
import { chunksOf, type EntryStream, type FileBytes, FileProblem, type ReadContext } from './file-bytes.ts';

/** A recording of two days with all sensors has 20 MB. */
const mostBytes = 64 * 1024 * 1024;

/** Reads a FIT file: its activities, and the heart rates and steps of a day. It is read as a whole, so its size is bounded. */
export async function* readFit(bytes: FileBytes, { rules, nowMs }: ReadContext): EntryStream {
  if (bytes.length > mostBytes) throw new FileProblem('A FIT file has at most 64 MiB.');
  const parts: Buffer[] = [];
  for await (const chunk of chunksOf(bytes)) parts.push(chunk);
  const file = await parseFit(Buffer.concat(parts));
  const recordings = fitRecordings(file).map((recording) => readRecording(recording, rules, nowMs));
  const entries = [...recordings, ...fitMonitoring(file, nowMs)];
  yield { entries, notes: notKept(file), progress: 1 };
}

const reasons: Readonly<Record<string, string>> = {
  'File CRC mismatch': 'The checksum of the FIT file is wrong, so none of it is used.',
  'Header CRC mismatch': 'The checksum of the FIT file is wrong, so none of it is used.',
};

async function parseFit(
  bytes: Buffer<ArrayBuffer>,
): Promise<FitFile & { readonly others: readonly string[] }> {
  const { default: FitParser } = await import('fit-file-parser'); // other files are read without it
  try {
    const read: object = await new FitParser({ mode: 'list', force: false }).parseAsync(bytes);
    const listOf = (name: string): FitMessage[] => {
      const value: unknown = Reflect.get(read, name);
      return Array.isArray(value) ? value : [];
    };
    return {
      sessions: listOf('sessions'),
      laps: listOf('laps'),
      records: listOf('records'),
      monitors: listOf('monitors'),
      file_ids: listOf('file_ids'),
      activity: { ...Object(Reflect.get(read, 'activity')) },
      others: otherNames.filter((name) => listOf(name).length > 0),
    };
  } catch (error) {
    throw new FileProblem(reasons[String(error)] ?? 'The FIT file is cut off or damaged.');
  }
}

/** Messages without a place among the records. */
const otherNames = ['hrv', 'field_descriptions', 'stress', 'sets', 'dive_gases', 'course_points'];

function notKept({ others, sessions }: Pick<FitFile, 'sessions'> & { readonly others: readonly string[] }) {
  const beyond = sessions
    .slice(mostSessions)
    .map(() => skipped('workouts', 'The file has too many sessions.'));
  return [...others.map((name) => skipped(name, 'Messages of this kind are not kept.')), ...beyond];
}
