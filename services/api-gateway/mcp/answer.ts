import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import type { Page } from '../../../domain/page.ts';

/** The largest answer. Quotes and line breaks count twice, because the answer is text within JSON. */
export const mostAnswerBytes = 24_000;

/** The bytes of an answer in the message that contains it. */
function sizeOf(answer: object): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}

/** A page of a list of the API. */
interface ListPage<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** A page of the API as `readBounded` takes it. */
export function pageOf<T>({ data, pagination }: Page<T>): ListPage<T> {
  return { data, next: pagination.next_cursor };
}

/** The cursor of a call; none for the first page. */
export const cursorOf = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

/** How a list is read: the size of its pages, the most items, and how items are shown. */
interface Reading<T> {
  readonly limit: number;
  readonly pageLimit: number;
  readonly cursor: string | undefined;
  readonly read: (limit: number, cursor: string | undefined) => Promise<ListPage<T>>;
  readonly show: (items: readonly T[]) => object;
}

/** The longest start of a list that an answer holds, at most `limit` items, and the cursor of the rest. */
export async function readBounded<T>(reading: Reading<T>): Promise<object> {
  const { limit, pageLimit, read, show } = reading;
  const answerOf = (items: readonly T[], next: string | null) => ({ ...show(items), next_cursor: next });
  let items: readonly T[] = [];
  let cursor = reading.cursor;
  for (let size = Math.min(limit, pageLimit); size > 0; ) {
    const page = await read(size, cursor);
    const more = [...items, ...page.data];
    const bytes = sizeOf(answerOf(more, page.next));
    if (bytes > mostAnswerBytes) {
      size = fitting(page.data.length, bytes, sizeOf(answerOf(items, page.next)));
      if (size === 0 && items.length === 0) throw new ServiceError('INTERNAL');
      continue;
    }
    if (page.next === null || page.data.length === 0) return answerOf(more, page.next);
    items = more;
    cursor = page.next;
    size = size < Math.min(pageLimit, limit) ? 0 : Math.min(pageLimit, limit - items.length);
  }
  return answerOf(items, cursor ?? null);
}

// The number of items of a page that fit, from the size of the answer with and without the page.
function fitting(count: number, bytes: number, before: number): number {
  const each = (bytes - before) / count;
  return Math.min(count - 1, Math.floor((mostAnswerBytes - before) / each));
}

/** An answer that is not read by pages. @throws VALIDATION_FAILED (422) with what to change, if it is too large */
export function checkSize<T extends object>(answer: T, field: string, change: string): T {
  if (sizeOf(answer) <= mostAnswerBytes) return answer;
  throw validationFailed([{ field, message: `${change}, because the answer would exceed 25 kB` }]);
}

/** A table of an answer: the names of columns once, then rows. */
interface Table {
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
