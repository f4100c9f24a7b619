import { JSONParser } from '@streamparser/json';
import { parseJson } from '../../../domain/json/json-bounds.ts';
import type { ElementTable } from '../../../providers/file/archives.ts';
import type { Entry } from '../../../providers/file/entry.ts';
import type { Content } from './content.ts';
import { type EntryStream, FileProblem } from './file-bytes.ts';

/** A document up to this size is parsed as a whole, which takes a thirtieth of the time. Files of a day have 3 MB. */
const mostWholeBytes = 8 * 1024 * 1024;
/** One that is a single element is parsed as a whole in any case: that of an activity of seven hours has 8 MB. */
const mostElementBytes = 64 * 1024 * 1024;
const elementsPerPart = 1000;

/** Reads the elements of an array of a JSON document. Of a large or damaged one they are read one by one, up to the damage. */
export async function* readElements(content: Content, table: ElementTable, name: string): EntryStream {
  const chunks = content.chunks()[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let [size, isWhole] = [0, false];
  const isElement = () => table.list.length === 0 && /^\uFEFF?\s*\{/.test(String(parts[0]?.subarray(0, 100)));
  while (!isWhole && size <= (isElement() ? mostElementBytes : mostWholeBytes)) {
    const next = await chunks.next();
    if (next.done === true) isWhole = true;
    else {
      parts.push(next.value);
      size += next.value.length;
    }
  }
  const document = isWhole ? parsedOrNull(Buffer.concat(parts)) : null;
  if (document !== null) return yield* wholeElements(document.value, table, name);
  if (!isWhole && isElement()) throw new FileProblem('A member of one element is larger than 64 MiB.');
  async function* all() {
    yield* parts.splice(0);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  yield* streamedElements(all(), content.length, table, name);
}

function parsedOrNull(bytes: Buffer): { readonly value: unknown } | null {
  const text = new TextDecoder().decode(bytes);
  for (const read of [() => text, () => withoutNaN(text)])
    try {
      return { value: parseJson(read()) };
    } catch {}
  return null;
}

/** Some makers write `NaN` for a value that was not measured, which JSON does not have. */
const withoutNaN = (text: string) =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\bNaN\b/g, (part) => (part === 'NaN' ? 'null' : part));

async function* wholeElements(document: unknown, table: ElementTable, name: string): EntryStream {
  const elements = elementsAt(document, table.list);
  for (let at = 0; at < elements.length; at += elementsPerPart) {
    const entries = elements.slice(at, at + elementsPerPart).flatMap((element) => table.read(element, name));
    yield { entries, notes: [], progress: Math.min(1, (at + elementsPerPart) / elements.length) };
  }
}

function elementsAt(value: unknown, [field, ...others]: readonly string[]): readonly unknown[] {
  if (field === '*') return Array.isArray(value) ? value.flatMap((one) => elementsAt(one, others)) : [];
  if (field !== undefined) return elementsAt(Reflect.get(Object(value), field), others);
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

async function* streamedElements(
  chunks: AsyncIterable<Buffer>,
  length: number,
  table: ElementTable,
  name: string,
): EntryStream {
  let entries: Entry[] = [];
  let bytesRead = 0;
  let isDamaged = false;
  const path = ['$', ...table.list, '*'].join('.');
  const parser = new JSONParser({ paths: [path], keepStack: false });
  parser.onValue = ({ value, parent }) => {
    if (Array.isArray(parent)) entries.push(...table.read(value, name));
  };
  parser.onError = () => {
    isDamaged = true;
  };
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    parser.write(chunk);
    yield { entries, notes: [], progress: Math.min(1, bytesRead / length) };
    entries = [];
    if (isDamaged) break;
  }
  if (isDamaged || !parser.isEnded) throw new FileProblem('The JSON of a member is cut off or damaged.');
}
