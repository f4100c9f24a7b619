import Papa from 'papaparse';
import type { RowTable } from '../../../providers/file/archives.ts';
import type { Row } from '../../../providers/file/csv.ts';
import type { Entry } from '../../../providers/file/entry.ts';
import type { Content } from './content.ts';
import { type EntryStream, FileProblem } from './file-bytes.ts';

/** The longest row: a description of an activity, with all its line breaks. */
const longestRow = 1024 * 1024;

/**
 * Reads a table of text whose dialect is that of its maker: what separates cells and rows, a mark at the beginning, line breaks in
 * quotes. csv-parse takes twice as long as this parser and as an expression for each line.
 */
export async function* readRows(content: Content, table: RowTable, name: string): EntryStream {
  const decoder = new TextDecoder();
  let bytesRead = 0;
  let rest = '';
  let parser: Papa.Parser | null = null;
  let columns: readonly string[] | null = null;
  let above = table.headerLine ?? 0;
  const entriesOf = (rows: readonly (readonly string[])[]) => {
    const entries: Entry[] = [];
    for (const cells of rows) {
      if (cells.length === 1 && cells[0]?.trim() === '') continue;
      if (above > 0) above -= 1;
      else if (columns === null) columns = numbered(cells);
      else entries.push(...table.read(rowOf(columns, cells), name));
    }
    return entries;
  };
  const read = (text: string, isLast: boolean) => {
    parser ??= new Papa.Parser(dialectOf(text, table.headerLine ?? 0));
    const { data, meta } = parser.parse(text, 0, !isLast);
    rest = isLast ? '' : text.slice(meta.cursor);
    if (rest.length > longestRow) throw new FileProblem('A row of a table is too long.');
    return { entries: entriesOf(data), notes: [], progress: Math.min(1, bytesRead / content.length) };
  };
  for await (const chunk of content.chunks()) {
    bytesRead += chunk.length;
    yield read(rest + decoder.decode(chunk, { stream: true }), false);
  }
  yield read(rest + decoder.decode(), true);
}

const separators = [',', ';', '\t', '|'];

/** What separates cells is what stands most often in the header: cells of rows may contain more of the others. */
function dialectOf(text: string, headerLine: number) {
  const lineBreak = /\r?\n|\r/.exec(text)?.[0];
  const newline = lineBreak === '\r\n' || lineBreak === '\r' ? lineBreak : '\n';
  const header = (text.split(newline)[headerLine] ?? '').replaceAll(/"[^"]*"/g, '');
  const countOf = (separator: string) => header.split(separator).length;
  const [delimiter] = separators.toSorted((a, b) => countOf(b) - countOf(a));
  return { delimiter, newline } as const;
}

/** Names of columns. One that stands again has a number. */
function numbered(cells: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return cells.map((cell) => {
    const name = cell.trim();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

function rowOf(columns: readonly string[], cells: readonly string[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? '']));
}
