import { skipped } from '../../../providers/file/entry.ts';
import { type Leaves, pointOf, recordingOf, type TracedActivity } from '../../../providers/file/points.ts';
import { mostPoints, type Point, readRecording } from '../../../providers/file/recording.ts';
import { type EntryStream, FileProblem, type ReadContext } from './file-bytes.ts';
import { type ElementHandler, localName, xmlReader } from './xml.ts';

/** Activities that are complete, and the number of points without a time, or beyond the most of an activity. */
interface Traces {
  readonly traced: readonly TracedActivity[];
  readonly unusedPoints: number;
}

/** The elements of an activity, a lap and a point, of GPX and TCX. */
const activityNames = new Set(['trk', 'Activity']);
const lapName = 'Lap';
const pointNames = new Set(['trkpt', 'Trackpoint']);

/** Reads the activities of a GPX or TCX document. */
export async function* readTraces(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Traces & { readonly bytesRead: number }> {
  let traced: TracedActivity[] = [];
  const handler = traceHandler((activity) => traced.push(activity));
  const reader = xmlReader(handler);
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    reader.write(chunk);
    if (traced.length === 0) continue;
    yield { traced, bytesRead, unusedPoints: handler.takeUnused() };
    traced = [];
  }
  reader.end();
  yield { traced, bytesRead, unusedPoints: handler.takeUnused() };
}

/** Reads a GPX or TCX file. */
export async function* readTraceFile(
  chunks: AsyncIterable<Buffer>,
  length: number,
  { rules, nowMs }: ReadContext,
): EntryStream {
  for await (const { traced, bytesRead, unusedPoints } of readTraces(chunks))
    yield {
      entries: traced.map((activity) => readRecording(recordingOf(activity), rules, nowMs)),
      notes:
        unusedPoints === 0 ? [] : [skipped('points', 'Points without a time, or too many of one activity.')],
      progress: Math.min(1, bytesRead / length),
    };
}

/** An activity whose element is not closed yet. */
interface OpenActivity {
  readonly head: Record<string, string>;
  readonly points: Point[];
  readonly laps: Leaves[];
}

function traceHandler(add: (activity: TracedActivity) => void): ElementHandler & { takeUnused(): number } {
  let activity: OpenActivity | null = null;
  let lap: Record<string, string> | null = null;
  let point: Record<string, string> | null = null;
  let unused = 0;
  const path: string[] = [];
  return {
    wantsText: true,
    takeUnused() {
      const count = unused;
      unused = 0;
      return count;
    },
    open(qualifiedName, attributes) {
      const name = localName(qualifiedName);
      if (path.length === 0 && name !== 'gpx' && name !== 'TrainingCenterDatabase')
        throw new FileProblem('The file is neither GPX nor TCX.');
      path.push(name);
      if (activityNames.has(name)) activity = { head: { ...attributes }, points: [], laps: [] };
      else if (name === lapName) lap = { ...attributes };
      else if (pointNames.has(name)) point = { ...attributes };
    },
    close(_, text) {
      const name = path.pop() ?? '';
      if (pointNames.has(name) && point !== null) {
        const read = pointOf(point);
        if (read === null || (activity?.points.length ?? 0) >= mostPoints) unused += 1;
        else activity?.points.push(read);
        point = null;
      } else if (name === lapName && lap !== null) {
        activity?.laps.push(lap);
        lap = null;
      } else if (activityNames.has(name) && activity !== null) {
        add(activity);
        activity = null;
      } else {
        const leaf = text.trim();
        const parent = path.at(-1) ?? '';
        const holder = point ?? lap ?? activity?.head;
        // The name of the device is in `Creator`, and the value of a heart rate in an element of its own.
        const key = name === 'Value' || (name === 'Name' && parent === 'Creator') ? parent : name;
        if (leaf !== '' && holder !== undefined && !Object.hasOwn(holder, key))
          holder[key] = leaf.slice(0, 500);
      }
    },
  };
}
