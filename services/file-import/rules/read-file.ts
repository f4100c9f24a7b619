import type { fileKinds } from '../../../contracts/file-import.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import { BatchBuilder, entriesPerBatch, type ImportBatch, nightsOf } from './batch.ts';
import { chunksOf, type EntryStream, type FileBytes, FileProblem, type ReadContext } from './file-bytes.ts';
import { readApple } from './read-apple.ts';
import { isTable, readCsv } from './read-csv.ts';
import { readTraceFile } from './read-traces.ts';
import { localName, withoutComments } from './xml.ts';
import { openArchive } from './zip.ts';

/** The kind of a file. */
export type FileKind = (typeof fileKinds)[number];

type PartStream = AsyncGenerator<ImportBatch | null, void, undefined>;

/** A file whose kind was recognised. */
interface OpenedFile {
  readonly kind: FileKind;
  /** Parts in the order of the file. Null: as many entries as a part has, which are stored already. */
  readonly batches: PartStream;
}

/** Opens a file. @throws FileProblem if its kind is unknown, or if it cannot be read */
export async function openFile(bytes: FileBytes, context: ReadContext): Promise<OpenedFile> {
  const { kind, entries } = await recognise(bytes, context);
  return { kind, batches: batchesOf(entries, context.skip) };
}

type Recognised = { readonly kind: FileKind; readonly entries: EntryStream };

async function recognise(bytes: FileBytes, context: ReadContext): Promise<Recognised> {
  const head = await bytes.from(0);
  if (head.toString('latin1', 0, 2) === 'PK') return recogniseArchive(bytes, context);
  if (head.toString('latin1', 8, 12) === '.FIT') {
    // Its parser takes 6 MB of memory, which other files do not need.
    const { readFit } = await import('./read-fit.ts');
    return { kind: 'fit', entries: readFit(bytes, context) };
  }
  const root = rootOf(head);
  const readerInput = [chunksOf(bytes), bytes.length, context] as const;
  if (root === 'HealthData') {
    const xml = { xml: chunksOf(bytes), length: bytes.length, archive: null };
    return { kind: 'apple_health', entries: readApple(xml, context) };
  }
  if (root === 'gpx') return { kind: 'gpx', entries: readTraceFile(...readerInput) };
  if (root === 'TrainingCenterDatabase') return { kind: 'tcx', entries: readTraceFile(...readerInput) };
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  if (root === null && isTable(text.toLowerCase())) return { kind: 'csv', entries: readCsv(...readerInput) };
  throw new FileProblem('The file is none of the kinds that can be imported.');
}

// The name of the first element, behind a declaration, comments and a document type.
function rootOf(head: Buffer): string | null {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const text = isWide ? head.toString('latin1').replaceAll('\0', '') : head.toString('utf8');
  if (!/^[^<a-z0-9]*</i.test(text)) return null;
  const name = /<([A-Za-z_][\w.:-]*)/.exec(withoutDoctype(withoutComments(text)))?.[1];
  return name === undefined ? '' : localName(name);
}

const doctype = /<!DOCTYPE[^[>]*(\[[\s\S]*?\]\s*)?>/y;

// The expression is tried at one position only, because each attempt may read up to the end of the text.
function withoutDoctype(text: string): string {
  doctype.lastIndex = Math.max(0, text.indexOf('<!DOCTYPE'));
  return text.replace(doctype, '');
}

const exportFile = /^(.*apple_health_export)\/[^/]+\.xml$/;

// The file name depends on the language of the phone. The largest document of the folder is the export.
async function recogniseArchive(bytes: FileBytes, context: ReadContext): Promise<Recognised> {
  const files = await openArchive(bytes);
  const [largest] = [...files.files]
    .filter(([name]) => exportFile.test(name) && !/_cda\.xml$/i.test(name))
    .toSorted(([, a], [, b]) => b - a);
  if (largest === undefined) throw new FileProblem('The archive contains no export of Apple Health.');
  const [name, length] = largest;
  const folder = exportFile.exec(name)?.[1] ?? '';
  const content = await files.open(name);
  return {
    kind: 'apple_health',
    entries: readApple({ xml: content, length, archive: { files, folder } }, context),
  };
}

/** The most phases of sleep whose nights are computed: those of 50 years. */
const mostPhases = 1_000_000;

async function* batchesOf(stream: EntryStream, skip: number): PartStream {
  const phases: SleepPhase[] = [];
  let builder = new BatchBuilder();
  let position = 0;
  let progress = 0;
  const takeBatch = () => {
    const batch = builder.take(position, progress);
    builder = new BatchBuilder();
    return batch;
  };
  let problem: unknown;
  try {
    for await (const { entries, notes, progress: reached } of stream) {
      for (const entry of entries) {
        position += 1;
        if (entry?.kind === 'phase') {
          if (phases.length < mostPhases) phases.push(entry.phase);
        } else if (entry !== null && position > skip) builder.add(entry, position);
        if (position % entriesPerBatch === 0) yield position > skip ? takeBatch() : null;
      }
      for (const note of notes) builder.addSkipped(note);
      progress = reached;
    }
  } catch (error) {
    problem = error;
  }
  // Nights are numbered after the last entry. An attempt that will be retried does not compute them.
  const isOver = problem === undefined || problem instanceof FileProblem;
  for (const night of isOver ? nightsOf(phases) : []) {
    position += 1;
    if (position > skip && night.kind !== 'phase') builder.add(night, position);
    if (position % entriesPerBatch === 0 && position > skip) yield takeBatch();
  }
  if (isOver || position > skip) yield takeBatch();
  if (problem !== undefined) throw problem;
}
