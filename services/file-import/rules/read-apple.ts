import { ownText } from '../../../domain/own-text.ts';
import { cutChunks } from '../../../domain/workouts/cut-chunks.ts';
import {
  type AppleElement,
  type ExportClock,
  exportTime,
  readAppleRecord,
} from '../../../providers/file/apple.ts';
import { type AppleWorkout, readAppleWorkout } from '../../../providers/file/apple-workout.ts';
import { type Entry, type Skipped, skipped } from '../../../providers/file/entry.ts';
import { mostPoints, type Point, trackOf } from '../../../providers/file/recording.ts';
import {
  archiveProblem,
  BytesUnavailable,
  type Entries,
  type EntryStream,
  FileProblem,
  type ReadContext,
} from './file-bytes.ts';
import { readTraces } from './read-traces.ts';
import { type ElementHandler, xmlReader } from './xml.ts';
import type { Archive } from './zip.ts';

/** The XML of an export, and where its routes are; null if the XML was given alone. */
interface AppleExport {
  readonly xml: AsyncIterable<Buffer>;
  readonly length: number;
  readonly archive: { readonly files: Archive; readonly folder: string } | null;
}

type Read = Entry | AppleWorkout | null;

/** Sleep is joined to nights when all of it is known, so its phases are read again by an import that goes on. */
const sleepType = 'HKCategoryTypeIdentifierSleepAnalysis';

/** Reads an export of Apple Health. */
export async function* readApple({ xml, length, archive }: AppleExport, context: ReadContext): EntryStream {
  let waiting: Read[] = [];
  let count = 0;
  const clock = { timeZone: context.timeZone, exportedMs: null };
  const handler = elementHandler(clock, (element, isRepeated) => {
    if (isRepeated) return;
    const isStored = count < context.skip && element.attributes.type !== sleepType;
    count += 1;
    waiting.push(isStored ? null : entryOf(element, context.nowMs, clock));
  });
  const reader = xmlReader(handler);
  const routesOf = routeReader(archive);
  let bytesRead = 0;
  const takeEntries = async (): Promise<Entries> => {
    const read = waiting;
    waiting = [];
    const notes: Skipped[] = [];
    const entries: (Entry | null)[] = [];
    for (const [index, entry] of read.entries()) {
      const ofWorkout: Skipped[] = [];
      entries.push(
        entry?.kind === 'workout' ? await withRoutes(entry, routesOf, context.rules, ofWorkout) : entry,
      );
      for (const note of ofWorkout) notes.push({ ...note, position: count - read.length + index + 1 });
    }
    return { entries, notes, progress: Math.min(1, bytesRead / length) };
  };
  try {
    for await (const chunk of xml) {
      bytesRead += chunk.length;
      reader.write(chunk);
      yield await takeEntries();
    }
    reader.end();
  } catch (error) {
    const problem = archiveProblem(error);
    // What was read before the problem is good. An attempt that will be repeated names the faults then.
    const isOver = problem instanceof FileProblem;
    if (isOver) handler.endWorkout();
    const rest = await takeEntries();
    yield isOver ? { ...rest, notes: [...rest.notes, ...reader.faults()] } : rest;
    throw problem;
  }
  const last = await takeEntries();
  const ofArchive = (archive?.files.problems ?? []).map((problem) => skipped('archive', problem));
  yield { ...last, notes: [...last.notes, ...reader.faults(), ...ofArchive] };
}

function entryOf(element: AppleElement, nowMs: number, clock: ExportClock): Read {
  if (element.name === 'Workout') return readAppleWorkout(element, nowMs, clock);
  if (element.name === 'Record' || element.name === 'Correlation')
    return readAppleRecord(element, nowMs, clock);
  return skipped(element.name, 'Elements of this kind are not kept.');
}

/** Elements that are entries. Those in a `Correlation` are entries too, unless the document has their type beside it. */
const entryNames = new Set([
  'Record',
  'Correlation',
  'Workout',
  'ActivitySummary',
  'ClinicalRecord',
  'Audiogram',
  'VisionPrescription',
  'Me',
]);
/** Elements with a value for each beat, which are not read. */
const passedOver = 'HeartRateVariabilityMetadataList';
/** Entries are in none of one another, but for records in a correlation. */
const endedBy = new Map(
  [...entryNames].map((name) => [
    name,
    name === 'Record' ? entryNames.difference(new Set(['Correlation'])) : entryNames,
  ]),
);

function elementHandler(
  clock: { exportedMs: number | null },
  add: (element: AppleElement, isRepeated: boolean) => void,
) {
  const path: (AppleElement | null)[] = [];
  const topTypes = new Set<string>();
  let root: string | null = null;
  return {
    wantsText: false,
    usesNamespaces: false,
    endedBy,
    /** Ends a workout whose document is cut off. */
    endWorkout() {
      const workout = path.find((element) => element?.name === 'Workout');
      if (workout != null) add(workout, false);
    },
    open({ name, attributes, isDamaged }) {
      root ??= name;
      if (root !== 'HealthData') throw new FileProblem('The file is no export of Apple Health.');
      const parent = path.at(-1) ?? null;
      if (name === 'ExportDate') clock.exportedMs = exportTime(attributes.value);
      if (name === 'MetadataEntry' && !isDamaged && parent !== null && attributes.key !== undefined)
        addMetadata(parent, attributes.key, attributes.value ?? '');
      const isKept = !isDamaged && name !== 'MetadataEntry' && name !== passedOver && name !== 'HealthData';
      const element =
        isKept && (entryNames.has(name) || parent !== null) ? newElement(name, attributes) : null;
      if (element !== null && parent !== null && !entryNames.has(name)) addChild(parent, element);
      const { type = '' } = attributes;
      if (name === 'Record' && parent === null && !topTypes.has(type)) topTypes.add(ownText(type));
      path.push(element);
    },
    close(name) {
      const element = path.pop();
      if (element == null || !entryNames.has(name)) return;
      const isWithin = path.at(-1) != null;
      add(element, isWithin && topTypes.has(element.attributes.type ?? ''));
    },
  } satisfies ElementHandler & { endWorkout(): void };
}

function newElement(name: string, attributes: AppleElement['attributes']): AppleElement {
  return { name, attributes, metadata: null, children: null };
}

function addChild(parent: AppleElement, element: AppleElement): void {
  parent.children ??= [];
  parent.children.push(element);
}

function addMetadata(element: AppleElement, key: string, value: string): void {
  element.metadata ??= {};
  element.metadata[key] = value;
}

const mostRouteBytes = 256 * 1024 * 1024;
/** An export names a route once; a workout that is in it twice names its route twice. */
const mostRouteReads = 4;

type RouteReader = (path: string) => Promise<readonly Point[]>;

/** Reads routes of an archive. One that is named again and again is refused, as each reading unpacks it. */
function routeReader(archive: AppleExport['archive']): RouteReader {
  const reads = new Map<string, number>();
  return async (path) => {
    if (archive === null) return [];
    const count = (reads.get(path) ?? 0) + 1;
    if (count > mostRouteReads) throw new FileProblem('The route is named too often.');
    reads.set(ownText(path), count);
    return routePoints(archive, path);
  };
}

/** The workout with the track of its routes. A route that cannot be read is named, and the workout is kept. */
async function withRoutes(
  { item, span, routes, points: inline, notes: ofWorkout }: AppleWorkout,
  routesOf: RouteReader,
  rules: ReadContext['rules'],
  notes: Skipped[],
): Promise<Entry> {
  const points: Point[] = [...inline];
  for (const route of new Set(routes))
    try {
      for (const point of await routesOf(route)) points.push(point);
    } catch (error) {
      if (error instanceof BytesUnavailable) throw error;
      notes.push(skipped('route', 'The route of a workout cannot be read.'));
    }
  return {
    kind: 'item',
    item: { ...item, ...cutChunks(trackOf(points), rules) },
    type: 'workouts',
    span,
    notes: ofWorkout,
  };
}

async function routePoints(
  { files, folder }: NonNullable<AppleExport['archive']>,
  path: string,
): Promise<Point[]> {
  const name = `${folder}${path}`;
  if ((files.files.get(name) ?? 0) > mostRouteBytes) throw new FileProblem('The route is too large.');
  const points: Point[] = [];
  for await (const { traced } of readTraces(await files.open(name)))
    for (const { segments } of traced) for (const point of segments.flat()) points.push(point);
  return points.slice(0, mostPoints);
}
