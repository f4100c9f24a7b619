import type { ZippedFile } from './zip.ts';

/** A row of a table by its columns; an empty cell is null. */
export type TableRow = Readonly<Record<string, string | number | boolean | null>>;

/** A table of text as a member of an archive. The first row names the columns, and `header` those of a table without rows. */
export function tableOf(
  name: string,
  rows: readonly TableRow[],
  { header = [], delimiter = ',' }: { readonly header?: readonly string[]; readonly delimiter?: string } = {},
): ZippedFile {
  const columns = Object.keys(rows[0] ?? Object.fromEntries(header.map((column) => [column, ''])));
  const cellOf = (cell: TableRow[string] = null) => {
    const text = cell === null ? '' : String(cell);
    return /["\r\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))];
  return {
    name,
    bytes: Buffer.from(`${lines.map((cells) => cells.map(cellOf).join(delimiter)).join('\n')}\n`),
  };
}
