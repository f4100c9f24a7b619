import { ownValue } from '../../../domain/own-value.ts';
import { type Skipped, skipped } from '../../../providers/file/entry.ts';
import { isKnownSpace, traceNames } from '../../../providers/file/fields.ts';
import {
  type Leaves,
  plannedRoute,
  pointOf,
  recordingOf,
  type TracedActivity,
} from '../../../providers/file/points.ts';
import { mostPoints, type Point, readRecording } from '../../../providers/file/recording.ts';
import { archiveProblem, type EntryStream, FileProblem, type ReadContext } from './file-bytes.ts';
import { type ElementHandler, type XmlTag, xmlReader } from './xml.ts';

/** Activities that are complete; when the document ends or cannot be read further, also what is not kept of it. */
interface Traces {
  readonly traced: readonly TracedActivity[];
  readonly notes: readonly Skipped[];
  readonly bytesRead: number;
}

/**
 * Reads the activities of a GPX or TCX document.
 * @throws FileProblem after what stands before the problem, an activity that is not complete with it
 */
export async function* readTraces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Traces> {
  let traced: TracedActivity[] = [];
  const handler = traceHandler((activity) => traced.push(activity));
  const reader = xmlReader(handler);
  let bytesRead = 0;
  const rest = () => ({ traced, bytesRead, notes: [...handler.notes(), ...reader.faults()] });
  try {
    for await (const chunk of chunks) {
      bytesRead += chunk.length;
      reader.write(chunk);
      if (traced.length === 0) continue;
      yield { traced, bytesRead, notes: [] };
      traced = [];
    }
    reader.end();
  } catch (error) {
    const problem = archiveProblem(error);
    if (!(problem instanceof FileProblem)) throw problem;
    handler.endActivity();
    yield rest();
    throw problem;
  }
  yield rest();
}

/** Reads a GPX or TCX file. */
export async function* readTraceFile(
  chunks: AsyncIterable<Buffer>,
  length: number,
  { rules, nowMs, complete = (recording) => recording }: ReadContext,
): EntryStream {
  for await (const { traced, bytesRead, notes } of readTraces(chunks))
    yield {
      entries: traced.map(
        (activity) => plannedRoute(activity) ?? readRecording(complete(recordingOf(activity)), rules, nowMs),
      ),
      notes,
      progress: Math.min(1, bytesRead / length),
    };
}

/** An activity whose element is not closed yet. */
interface OpenActivity extends TracedActivity {
  readonly head: Record<string, string>;
  readonly segments: Point[][];
  readonly laps: Leaves[];
  points: number;
  untimed: number;
}

/** The elements of an activity, of its segments, a lap and a point, of GPX and TCX. */
const activityNames = new Set(['trk', 'Activity']);
const segmentNames = new Set(['trkseg', 'Track']);
const lapName = 'Lap';
const pointNames = new Set(['trkpt', 'Trackpoint']);
const rootNames = new Set(['gpx', 'TrainingCenterDatabase']);

const planned = 'A planned route is no workout.';
const unread = 'Elements of this kind are not kept.';
/** Elements that are not read, with what is in them. */
const passedOver: Readonly<Record<string, readonly [type: string, reason: string]>> = {
  rte: ['workouts', planned],
  Course: ['workouts', planned],
  Workout: ['workouts', 'A planned workout is no workout.'],
  ...Object.fromEntries(
    ['metadata', 'wpt', 'Folders', 'Author', 'Training', 'Plan', 'bounds', 'link', 'Version'].map((name) => [
      name,
      [name, unread] as const,
    ]),
  ),
};
/** Names of elements that are counted apart from one another. */
const mostNames = 100;

/** These never contain one of the same name. */
const apart = [...activityNames, ...segmentNames, lapName, ...pointNames];
/** What ends with an activity, a lap, a segment and a point that begins. */
const endedBy = new Map(apart.map((name) => [name, new Set([name])]));

function traceHandler(add: (activity: TracedActivity) => void) {
  let activity: OpenActivity | null = null;
  let lap: Record<string, string> | null = null;
  let point: Record<string, string> | null = null;
  /** The first segment of a lap goes on with that of the lap before. */
  let isNewLap = false;
  /** The depth of the element that is passed over, with what is in it. */
  let passedDepth = Number.POSITIVE_INFINITY;
  let unused = 0;
  const unkept = new Map<string, Skipped & { items: number }>();
  const path: XmlTag[] = [];
  /** Whether the element that is open has no other one in it. */
  let isLeaf = false;

  const note = (type: string, reason: string) => {
    const key = `${type}\n${reason}`;
    const former = unkept.get(key);
    if (former !== undefined) former.items += 1;
    else if (unkept.size < mostNames) unkept.set(key, { ...skipped(type, reason), items: 1 });
    else note('others', unread);
  };
  const addPoint = (leaves: Leaves) => {
    if (activity === null) return;
    const read = pointOf(leaves);
    if (read === null) activity.untimed += 1;
    if (read === null || activity.points >= mostPoints) {
      unused += 1;
      return;
    }
    activity.points += 1;
    if (activity.segments.length === 0) activity.segments.push([]);
    activity.segments.at(-1)?.push(read);
  };
  const addLeaf = (tag: XmlTag, text: string) => {
    const leaf = text.trim();
    if (leaf === '') return;
    const parent = path.at(-1)?.name ?? '';
    // The name of the device is in `Creator`, and the value of a heart rate in an element of its own.
    const isOfParent = tag.name === 'Value' || (tag.name === 'Name' && parent === 'Creator');
    const key = isOfParent ? parent : tag.name;
    const [holder, names] =
      point !== null
        ? [point, traceNames.points]
        : lap !== null
          ? [lap, traceNames.laps]
          : [activity?.head, traceNames.head];
    if (traceNames.silent.has(key)) return;
    if (holder === undefined || !names.has(key) || !isKnownSpace(tag.space)) note(key, unread);
    else if (!Object.hasOwn(holder, key)) holder[key] = leaf.slice(0, 500);
  };
  const endActivity = () => {
    if (activity === null) return;
    if (lap !== null) activity.laps.push(lap);
    lap = null;
    point = null;
    add(activity);
    activity = null;
  };
  return {
    wantsText: true,
    usesNamespaces: true,
    endedBy,
    /** Ends an activity whose document is cut off. */
    endActivity,
    open(tag) {
      const { name, attributes, isDamaged } = tag;
      if (path.length === 0 && !rootNames.has(name))
        throw new FileProblem('The file is neither GPX nor TCX.');
      path.push(tag);
      isLeaf = true;
      if (path.length > passedDepth) return;
      const passed = ownValue(passedOver, name);
      if (passed !== undefined) {
        passedDepth = path.length;
        note(...passed);
      } else if (activityNames.has(name))
        activity = { head: { ...attributes }, segments: [], laps: [], points: 0, untimed: 0 };
      else if (name === lapName) {
        lap = { ...attributes };
        isNewLap = true;
      } else if (segmentNames.has(name)) {
        if (!isNewLap) activity?.segments.push([]);
        isNewLap = false;
      } else if (pointNames.has(name) && isDamaged) passedDepth = path.length;
      else if (pointNames.has(name)) point = { ...attributes };
    },
    close(name, text) {
      const tag = path.pop();
      if (path.length + 1 >= passedDepth) {
        if (path.length + 1 === passedDepth) passedDepth = Number.POSITIVE_INFINITY;
      } else if (pointNames.has(name)) {
        if (point !== null) addPoint(point);
        point = null;
      } else if (name === lapName) {
        if (lap !== null) activity?.laps.push(lap);
        lap = null;
      } else if (activityNames.has(name)) endActivity();
      else if (tag !== undefined && isLeaf && !tag.isDamaged && path.length > 0) addLeaf(tag, text);
      isLeaf = false;
    },
    notes: (): Skipped[] => [
      ...(unused === 0
        ? []
        : [skipped('points', 'Points without a time, or too many of one activity.', unused)]),
      ...unkept.values(),
    ],
  } satisfies ElementHandler & { notes(): Skipped[]; endActivity(): void };
}
