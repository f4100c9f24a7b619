import type { fileKinds } from '../../../contracts/file-import.ts';
import { documentKinds } from '../../../providers/file/recognised-kinds.ts';
import type { Content, Keep } from './content.ts';
import type { EntryStream, ReadContext } from './file-bytes.ts';
import { readApple } from './read-apple.ts';
import { isTable, readCsv } from './read-csv.ts';
import { readDocument } from './read-document.ts';
import { readTraceFile } from './read-traces.ts';
import { localName, withoutComments } from './xml.ts';

/** The kind of a file. */
export type FileKind = (typeof fileKinds)[number];

/** A file whose kind was recognised by its content. */
interface RecognisedFile {
  readonly kind: FileKind;
  readonly entries: EntryStream;
}

/** Whether content is an archive. */
export const isArchive = ({ head }: Pick<Content, 'head'>) => head.toString('latin1', 0, 2) === 'PK';

/** Recognises a file that is no archive by its content; null if it is of no kind that is read. */
export async function recogniseFile(
  content: Content,
  keep: Keep,
  context: ReadContext,
): Promise<RecognisedFile | null> {
  const { head, length } = content;
  if (head.toString('latin1', 8, 12) === '.FIT') {
    // Other files are read without the tables of its profile.
    const { readFit } = await import('./read-fit.ts');
    return { kind: 'fit', entries: readFit(await content.bytes(keep, 0), context) };
  }
  const root = rootOf(head);
  if (root === 'HealthData') {
    const xml = { xml: content.chunks(), length, archive: null };
    return { kind: 'apple_health', entries: readApple(xml, context) };
  }
  if (root === 'gpx') return { kind: 'gpx', entries: readTraceFile(content.chunks(), length, context) };
  if (root === 'TrainingCenterDatabase')
    return { kind: 'tcx', entries: readTraceFile(content.chunks(), length, context) };
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  if (root === null && isTable(text.toLowerCase()))
    return { kind: 'csv', entries: readCsv(content.chunks(), length, context) };
  for (const document of documentKinds) {
    const form = document.recognise(text);
    if (form !== null)
      return { kind: document.kind, entries: readDocument(content, document, form, context) };
  }
  return null;
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
