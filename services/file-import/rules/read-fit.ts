import type { Entry, Skipped } from '../../../providers/file/entry.ts';
import { fitActivities, mostSessions } from '../../../providers/file/fit.ts';
import { fitHealth } from '../../../providers/file/fit-health.ts';
import { readFitContent } from '../../../providers/file/fit-reader.ts';
import { readRecording } from '../../../providers/file/recording.ts';
import { chunksOf, type EntryStream, type FileBytes, FileProblem, type ReadContext } from './file-bytes.ts';

/** A recording of two days with all sensors has 20 MB. */
const mostBytes = 64 * 1024 * 1024;

/** Reads a FIT file. It is read as a whole, so its size is bounded. */
export async function* readFit(bytes: FileBytes, context: ReadContext): EntryStream {
  if (bytes.length > mostBytes) throw new FileProblem('A FIT file has at most 64 MiB.');
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(bytes)) chunks.push(chunk);
  const { entries, notes, problem } = fitEntries(Buffer.concat(chunks), context);
  yield { entries, notes, progress: 1 };
  if (problem !== null) throw new FileProblem(problem);
}

/** What a FIT file contains. */
interface FitEntries {
  readonly entries: readonly Entry[];
  /** What is not kept. */
  readonly notes: readonly Skipped[];
  /** Why the file was not read to its end. What stands before is in `entries`. */
  readonly problem: string | null;
}

/** Reads the bytes of a FIT file, or of several behind one another. @throws FileProblem if nothing of it can be read */
export function fitEntries(
  bytes: Buffer,
  { rules, nowMs, timeZone, complete = (recording) => recording }: Omit<ReadContext, 'skip'>,
): FitEntries {
  const { parts, notes: left, problem } = readFitContent(bytes);
  if (parts.length === 0) throw new FileProblem('The FIT file is cut off or damaged.');
  const entries: Entry[] = [];
  const notes = [...left];
  let room = mostSessions;
  for (const part of parts) {
    const { recordings, notes: ofPart } = fitActivities(part, { nowMs, timeZone, room });
    room -= recordings.length;
    for (const recording of recordings) entries.push(readRecording(complete(recording), rules, nowMs));
    notes.push(...ofPart);
    for (const entry of fitHealth(part, nowMs)) (entry.kind === 'skipped' ? notes : entries).push(entry);
  }
  return { entries, notes, problem };
}
