import { isHeader, readRow } from '../../../providers/file/csv.ts';
import { type Entry, skipped } from '../../../providers/file/entry.ts';
import { type EntryStream, FileProblem, type ReadContext } from './file-bytes.ts';

const longestLine = 64 * 1024;

/** Reads a table of RFC 4180. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  length: number,
  { nowMs, skip }: ReadContext,
): EntryStream {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let count = 0;
  let line = 0;
  let bytesRead = 0;
  let header: readonly string[] | null = null;
  const entryOf = (text: string) => {
    const cells = cellsOf(text);
    const isStored = count < skip;
    count += 1;
    if (isStored) return null;
    const entry =
      cells === null
        ? skipped('line', 'The line is no line of a table.')
        : readRow(Object.fromEntries((header ?? []).map((name, index) => [name, cells[index] ?? ''])), nowMs);
    return entry.kind === 'skipped' ? { ...entry, position: line } : entry;
  };
  const entriesOf = (lines: readonly string[]) => {
    const entries: (Entry | null)[] = [];
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      if (header === null) header = headerOf(text);
      else entries.push(entryOf(text));
    }
    return { entries, notes: [], progress: Math.min(1, bytesRead / length) };
  };
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new FileProblem('A line of the table is too long.');
    if (lines.length > 0) yield entriesOf(lines);
  }
  yield entriesOf([rest]);
}

/** Whether the beginning of a file is a table that can be read. */
export function isTable(text: string): boolean {
  return isHeader(cellsOf(text.split(/\r?\n/)[0] ?? '') ?? []);
}

function headerOf(line: string): readonly string[] {
  const names = (cellsOf(line) ?? []).map((name) => name.trim().toLowerCase());
  if (!isHeader(names)) throw new FileProblem('The first line of the table does not name its columns.');
  return names;
}

const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

/** The cells of a line; null if its quotes do not match. A cell contains no end of a line. */
function cellsOf(line: string): string[] | null {
  const cells: string[] = [];
  cell.lastIndex = 0;
  // The match includes the separator. Without it, an empty cell would match at the same position again.
  for (let match = cell.exec(line); match !== null; match = cell.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return cells;
  }
  return null;
}
