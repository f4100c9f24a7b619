/** A table of an answer: the names of columns once, then rows. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Provider and device, by index. */
  readonly sources?: readonly (readonly [provider: string, device: string])[];
  /** The columns whose text was entered by users or devices. */
  readonly entered_by_users?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Columns with text that users or devices entered. */
const enteredColumns = [
  'name',
  'first_name',
  'last_name',
  'email',
  'external_user_id',
  'provider_user_id',
  'sources',
];

/**
 * A table of records. Nested fields become columns (`heart_rate.avg_bpm`), a source becomes an index into `sources`, and
 * columns without any value are omitted.
 */
export function tableOf(records: readonly Fields[]): Table {
  const legend = new Map<string, readonly [string, string]>();
  const cells = records.map((record) => new Map(cellsOf(record, legend, '')));
  const present = new Set(cells.flatMap((row) => [...row.keys()]));
  const columns = [...present].filter((name) => cells.some((row) => (row.get(name) ?? null) !== null));
  const entered = enteredColumns.filter((name) =>
    name === 'sources' ? legend.size > 0 : columns.includes(name),
  );
  return {
    columns,
    rows: cells.map((row) => columns.map((name) => row.get(name) ?? null)),
    ...(legend.size === 0 ? {} : { sources: [...legend.values()] }),
    ...(entered.length === 0 ? {} : { entered_by_users: entered }),
  };
}

function* cellsOf(
  record: Fields,
  legend: Map<string, readonly [string, string]>,
  path: string,
): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(record)) {
    if (name === 'source' && isFields(value)) yield [path + name, sourceIndex(value, legend)];
    else if (isFields(value)) yield* cellsOf(value, legend, `${path}${name}.`);
    else yield [path + name, cellOf(value)];
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sourceIndex({ provider, device }: Fields, legend: Map<string, readonly [string, string]>): number {
  const source = [cleanText(String(provider)), cleanText(String(device))] as const;
  const key = source.join('\n');
  if (!legend.has(key)) legend.set(key, source);
  return [...legend.keys()].indexOf(key);
}

function cellOf(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return rounded(value);
  return Array.isArray(value) ? value.map(cellOf) : value;
}

/** Three decimals are enough for every unit. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const longestText = 255;

/** A text on one line, without invisible characters, of at most 255 characters. */
export function cleanText(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return line.length <= longestText ? line : `${line.slice(0, longestText - 1).toWellFormed()}…`;
}
