import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../../../../contracts/auth/schemas.ts';
import { ServiceError, validationFailed } from '../../../../domain/errors.ts';
import { CursorParameter } from '../../../../domain/page.ts';
import { RangeEnd, RangeStart } from '../../../../domain/time/time.ts';
import { UserId } from '../../../../domain/wire.ts';
import type { Call } from '../../../../runtime/environment.ts';
import { asJson, type Json, jsonSchema, mapped, propertiesOf, requiredOf } from '../../rules/components.ts';
import type { Endpoint } from '../../rules/endpoints.ts';

/**
 * A tool of the MCP server. It stands for a route of the API: whoever may call the route may call the tool, and the call
 * leaves the same audit entry.
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly params: z.ZodObject;
  /** The answer as JSON. `args` are checked against `params`, but not transformed. */
  readonly run: (args: Readonly<Record<string, unknown>>, call: Call) => Promise<object>;
}

interface Definition<P extends z.ZodObject> extends Omit<Tool, 'params' | 'run'> {
  readonly params: P;
  readonly run: (args: z.input<P>, call: Call) => Promise<object>;
}

/** Defines a tool; the arguments of `run` have the type of its parameters before transformation, as actions take them. */
export function tool<P extends z.ZodObject>(definition: Definition<P>): Tool {
  return definition as never;
}

/** The user and the range of lists of days. */
export const dayRange = {
  user_id: UserId,
  start_date: RangeStart.meta({ description: 'First local day of the range, YYYY-MM-DD.' }),
  end_date: RangeEnd.meta({ description: 'Last local day of the range, YYYY-MM-DD, included.' }),
  cursor: CursorParameter.describe('`next_cursor` of an earlier answer to the same arguments.'),
};

/** The user and the range of lists of events. */
export const eventRange = {
  ...dayRange,
  start_date: RangeStart.meta({
    description: 'Start of the range, included: a UTC day (YYYY-MM-DD) or a time (ISO 8601).',
  }),
  end_date: RangeEnd.meta({
    description: 'End of the range: a UTC day (YYYY-MM-DD), included, or a time (ISO 8601), excluded.',
  }),
};

/** The most items of an answer, which may have fewer because its size is limited. */
export function mostItems(most: number) {
  return z
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`The most items to return, 1 to ${most}. Default: as many as an answer of 25 kB holds.`);
}

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const Properties = z.record(z.string(), z.json());
const cache = new WeakMap<Tool, ListedTool>();

/** A tool as `tools/list` returns it. For a user token, `user_id` is optional. */
export function toolListing(tool: Tool, { kind }: Caller): ListedTool {
  const listed = cache.get(tool) ?? listingOf(tool);
  cache.set(tool, listed);
  if (kind !== 'sdk') return listed;
  const required = listed.inputSchema.required?.filter((field) => field !== 'user_id') ?? [];
  return { ...listed, inputSchema: { ...listed.inputSchema, required } };
}

function listingOf({ name, title, description, params }: Tool): ListedTool {
  const schema = jsonSchema(params);
  const properties = Properties.parse(mapped(propertiesOf(schema), shortened));
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required: requiredOf(schema), additionalProperties: false },
    annotations: { title, ...annotations },
  };
}

// The pattern of a UUID is long, and its format says the same. Of a time as text or number, the text is listed.
function shortened(value: unknown): Json {
  const { pattern: _, example: __, anyOf, ...rest } = asJson(value);
  return Array.isArray(anyOf) ? { ...asJson(anyOf[0]), ...rest } : rest;
}

/** The largest answer. Quotes and line breaks count twice, because the answer is text within JSON. */
export const mostAnswerBytes = 24_000;

/** The bytes of an answer in the message that contains it. */
function sizeOf(answer: object): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}

interface ListArguments {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The parameters of one page: the arguments of a tool with the size and the cursor of the page. */
type ListQuery<Args extends ListArguments> = Omit<Args, keyof ListArguments> & {
  limit: number;
  cursor?: string;
};

/** The most items of an answer, the size of the pages that are read for it, and how items are shown. */
interface List<Item> {
  readonly mostItems: number;
  readonly pageLimit: number;
  readonly show: (items: readonly Item[]) => object;
}

interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor: string | null };
}

/** The longest start of a list that an answer holds, at most `limit` items, and the cursor of the rest. */
export async function readList<Args extends ListArguments, Item>(
  { limit: asked, cursor: first, ...args }: Args,
  { mostItems, pageLimit, show }: List<Item>,
  read: (query: ListQuery<Args>) => Promise<ListPage<Item>>,
): Promise<object> {
  const limit = asked ?? mostItems;
  const answerOf = (items: readonly Item[], next: string | null) => ({ ...show(items), next_cursor: next });
  let items: readonly Item[] = [];
  let cursor = first;
  for (let size = Math.min(limit, pageLimit); size > 0; ) {
    const page = await read({ ...args, limit: size, ...(cursor === undefined ? {} : { cursor }) });
    const { next_cursor: next } = page.pagination;
    const more = [...items, ...page.data];
    const bytes = sizeOf(answerOf(more, next));
    if (bytes > mostAnswerBytes) {
      size = fitting(page.data.length, bytes, sizeOf(answerOf(items, next)));
      if (size === 0 && items.length === 0) throw new ServiceError('INTERNAL');
      continue;
    }
    if (next === null || page.data.length === 0) return answerOf(more, next);
    items = more;
    cursor = next;
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
