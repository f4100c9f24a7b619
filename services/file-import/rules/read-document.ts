import type { DocumentKind } from '../../../providers/file/documents.ts';
import type { Content } from './content.ts';
import { BoundExceeded, type EntryStream, FileProblem, type ReadContext } from './file-bytes.ts';
import { readElements } from './read-elements.ts';
import { readRows } from './read-rows.ts';

/** The most rows of a document: those of nine months, one each minute. */
const mostRows = 400_000;

/** Reads a document as a whole, because its parts are understood together. Of a damaged table the rows before the damage are read. */
export async function* readDocument(
  content: Content,
  kind: DocumentKind,
  form: 'elements' | 'rows',
  context: ReadContext,
): EntryStream {
  const elements: unknown[] = [];
  const read = (element: unknown) => {
    elements.push(element);
    if (elements.length > mostRows) throw new FileProblem('A document has too many rows.');
    return [];
  };
  const common = { pattern: /./, read };
  const parts =
    form === 'rows'
      ? readRows(content, { form, ...common }, '')
      : readElements(content, { form, list: [], ...common }, '');
  let problem: unknown = null;
  try {
    for await (const _ of parts);
  } catch (error) {
    if (!(error instanceof FileProblem) || error instanceof BoundExceeded) throw error;
    problem = error;
  }
  yield { entries: kind.read(elements, context), notes: [], progress: 1 };
  if (problem !== null) throw problem;
}
