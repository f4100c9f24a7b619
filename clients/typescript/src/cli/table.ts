import { type Context, UsageError } from './command.ts';
import { jsonLine, printable } from './output.ts';

/** The formats of lists. */
const formats = ['table', 'json', 'csv'];
/** The option of commands that print lists. */
export const formatOption = {
  type: 'string',
  value: 'FORMAT',
  description: 'table, json (an object per line) or csv; default: table',
  choices: formats,
} as const;

/** Whether rows are printed as a table, which people read. */
export const isTable = ({ values }: Context) => (values.text('format') ?? 'table') === 'table';

/** The cells of a row, by the name of the column. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Prints rows in the format that was asked for; `json` are the objects that they come from. */
export function printRows({ output, values }: Context, rows: readonly Row[], json: readonly unknown[]): void {
  const format = values.text('format') ?? 'table';
  if (!formats.includes(format)) throw new UsageError(`--format is one of ${formats.join(', ')}.`);
  if (format === 'json') for (const one of json) output.line(jsonLine(one));
  else if (format === 'csv') for (const line of csvOf(rows)) output.line(line);
  else printTable(output, rows);
}

function printTable(output: Context['output'], rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => printable(String(row[name] ?? '-'))));
  const widths = names.map((name, column) =>
    Math.max(...[name, ...cells.map((row) => row[column] ?? '')].map((cell) => cell.length)),
  );
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  if (rows.length > 0) output.line(output.colour('bold', lineOf(names)));
  for (const row of cells) output.line(lineOf(row));
}

function csvOf(rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  return rows.length === 0
    ? []
    : [names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(csvCell).join(','));
}

// A spreadsheet interprets a text that begins so as a formula.
function csvCell(value: unknown): string {
  const text = printable(String(value ?? ''));
  const safe = typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
