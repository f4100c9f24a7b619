/** The media type of a table whose first line names its columns. */
export const csvType = 'text/csv; charset=utf-8; header=present';

/** A line of a table, by RFC 4180. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Escapes a text so that a spreadsheet does not evaluate it as a formula: `=A1` becomes `'=A1`. */
export function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function cellOf(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
