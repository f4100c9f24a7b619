import { isWithinBounds } from '../../../../domain/json/json-bounds.ts';
import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  readList,
  readObject,
  readValue,
  valueAt,
} from '../../../../domain/json/json-scan.ts';
import { isItem } from '../../../../domain/recipe/read-fields.ts';
import type { StoreItem } from '../../../../domain/records/records.ts';
import type { VersionedRules } from '../../../../domain/workouts/cut-chunks.ts';
import { dataTypeOf } from '../../../../providers/devicemaker/data-types.ts';
import { mostItems, sortKeys, specialKeys, type TopKey } from '../../rules/read-push.ts';
import { startMsOf } from '../report-received.ts';
import { type JudgedItem, judge, partsWithin } from './item-source.ts';

/** The root of a body: an object of arrays, or one list, whose key is ''. */
export type Root = 'object' | 'list';

/** The outline of a body: the number of stub pieces of each array, and the errors of its keys. */
export interface Outline {
  readonly lists: readonly { readonly key: string; readonly count: number }[];
  readonly errors: readonly string[];
}

/** The reason why a body is refused: not JSON, the wrong root, or too many values. */
export type Refusal = 'malformed' | 'other_root' | 'too_many_values';

/** What the reading thread opens. */
export interface LargeBodyInput {
  readonly bytes: ArrayBufferLike;
  readonly root: Root;
}

/** The items of an array to normalise next, and their type. */
interface Order {
  readonly key: string;
  readonly type: string;
  readonly index: number;
}

/** The pieces to make: the stubs of an array as lists, or ordered items as `Batch`es. */
export type LargeBodyQuestion =
  | { readonly kind: 'stubs'; readonly key: string }
  | {
      readonly kind: 'items';
      readonly orders: readonly Order[];
      readonly nowMs: number;
      readonly rules: VersionedRules | null;
    };

/**
 * A bounded part of the results of ordered items: what was judged of the item at an index of the order, then its parts, each with that
 * index and its size in JSON.
 */
export interface Batch {
  readonly judged: readonly (readonly [at: number, item: JudgedItem])[];
  readonly parts: readonly (readonly [at: number, bytes: number, part: StoreItem])[];
}

/** 100 MB of the smallest real items are 400,000. Each item costs a stub. */
const mostItemsRead = 1_000_000;
/** The top-level keys of a body name data types. */
const mostKeysRead = 10_000;

/** Thrown if a body has more items or keys than the limits allow. */
class TooManyValues extends Error {}

/** Size of one message: the main thread parses 256 KB of JSON in less than 4 ms. */
const batchBytes = 256 * 1024;

interface List {
  /** Pairs of offsets: the start and the end of each item. */
  readonly offsets: Uint32Array;
  readonly count: number;
  readonly stubs: readonly string[];
}

/** A body in the memory of the reading thread. */
export class LargeBody {
  readonly outline: Outline;
  readonly #bytes: Buffer;
  readonly #lists: ReadonlyMap<string, List>;

  private constructor(bytes: Buffer, outline: Outline, lists: ReadonlyMap<string, List>) {
    this.#bytes = bytes;
    this.outline = outline;
    this.#lists = lists;
  }

  /** Scans a body once. Its items are dropped as soon as their stubs are made. */
  static open(bytes: Buffer, root: Root): LargeBody | Refusal {
    if (!isWithinBounds(bytes)) return 'too_many_values';
    try {
      const scan = jsonScan(bytes);
      if (kindOf(scan) !== root) {
        readValue(scan);
        expectEnd(scan);
        return 'other_root';
      }
      const [outline, lists] = root === 'list' ? openList(scan) : openObject(scan);
      expectEnd(scan);
      return new LargeBody(bytes, outline, lists);
    } catch (error) {
      if (error instanceof JsonError) return 'malformed';
      if (error instanceof TooManyValues) return 'too_many_values';
      throw error;
    }
  }

  /** Pieces of bounded size as JSON. Items are parsed, normalised and split one by one. */
  *pieces(question: LargeBodyQuestion): Generator<string, void> {
    if (question.kind === 'stubs') {
      yield* this.#lists.get(question.key)?.stubs ?? [];
      return;
    }
    const { orders, nowMs, rules } = question;
    let batch = newBatch();
    for (const [at, { key, type, index }] of orders.entries()) {
      const dataType = dataTypeOf(type);
      if (dataType === undefined) continue;
      const { judged, normalised } = judge(dataType, this.#item(key, index), nowMs);
      batch.judged.push(JSON.stringify([at, judged]));
      if (!normalised.ok) continue;
      for (const part of partsWithin(normalised, rules)) {
        const text = JSON.stringify(part);
        const size = Buffer.byteLength(text);
        if (batch.bytes > 0 && batch.bytes + size > batchBytes) {
          yield textOf(batch);
          batch = newBatch();
        }
        batch.parts.push(`[${at},${size},${text}]`);
        batch.bytes += size;
      }
    }
    yield textOf(batch);
  }

  #item(key: string, index: number): unknown {
    const offsets = this.#lists.get(key)?.offsets;
    return valueAt(this.#bytes, offsets?.[2 * index] ?? 0, offsets?.[2 * index + 1] ?? 0, 1);
  }
}

function newBatch() {
  return { judged: [] as string[], parts: [] as string[], bytes: 0 };
}

function textOf({ judged, parts }: { judged: readonly string[]; parts: readonly string[] }): string {
  return `{"judged":[${judged.join(',')}],"parts":[${parts.join(',')}]}`;
}

function openList(scan: JsonScan): [Outline, Map<string, List>] {
  const list = readArray(scan, stubOf);
  return [
    { lists: [{ key: '', count: Math.min(list.count, mostItems) }], errors: [] },
    new Map([['', list]]),
  ];
}

// As in JSON.parse, a duplicate key keeps its first position and its last value.
function openObject(scan: JsonScan): [Outline, Map<string, List>] {
  const lengths: Record<string, number | null> = Object.create(null);
  const lists = new Map<string, List>();
  let members = 0;
  readObject(scan, (key) => {
    members += 1;
    if (members > mostKeysRead) throw new TooManyValues();
    const list = memberOf(scan, key);
    lengths[key] = list?.count ?? null;
    if (list === null) lists.delete(key);
    else lists.set(key, list);
  });
  const keys: TopKey[] = Object.entries(lengths);
  const { groups, errors } = sortKeys(keys);
  const specials = [...lists].filter(([key]) => specialKeys.has(key));
  return [
    {
      lists: [
        ...groups.map(({ key, count }) => ({ key, count })),
        ...specials.map(([key, { count }]) => ({ key, count })),
      ],
      errors,
    },
    lists,
  ];
}

const skipped: List = { offsets: new Uint32Array(), count: 0, stubs: [] };

// The length of an array under an unknown key is not counted. Null: the value is not an array.
function memberOf(scan: JsonScan, key: string): List | null {
  const isList = kindOf(scan) === 'list';
  const isSpecial = specialKeys.has(key);
  if (isList && (isSpecial || dataTypeOf(key) !== undefined))
    return readArray(scan, isSpecial ? stubOfSpecial : stubOf);
  readValue(scan);
  return isList ? skipped : null;
}

function readArray(scan: JsonScan, stub: (item: unknown) => unknown): List {
  let offsets = new Uint32Array(64);
  let count = 0;
  const stubs = new Pieces();
  readList(scan, (item, from, to) => {
    if (count < mostItems) {
      if (2 * count === offsets.length) offsets = grown(offsets);
      offsets[2 * count] = from;
      offsets[2 * count + 1] = to;
      stubs.add(JSON.stringify(stub(item)));
    }
    count += 1;
    if (count > mostItemsRead) throw new TooManyValues();
  });
  return { offsets, count, stubs: stubs.all() };
}

function grown(offsets: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * offsets.length);
  larger.set(offsets);
  return larger;
}

/** Texts of items as JSON arrays of bounded size. */
class Pieces {
  readonly #full: string[] = [];
  #texts: string[] = [];
  #length = 0;

  add(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= batchBytes) this.#close();
  }

  all(): readonly string[] {
    this.#close();
    return this.#full;
  }

  #close(): void {
    if (this.#texts.length > 0) this.#full.push(`[${this.#texts.join(',')}]`);
    this.#texts = [];
    this.#length = 0;
  }
}

/** The fields of an item that answers, lookups and backfill reports need. */
const kept = ['userId', 'summaryId', 'activityId', 'activityName', 'activityType', 'callbackURL'];
const keptOfSpecial = ['userId', 'changeTimeInSeconds'];
/** Longer than any text that is read from a stub. */
const longestText = 10_000;
/** A hundred names of a hundred characters take a third of it. */
const longestPermissions = 64 * 1024;

/** A small copy of an item with the fields that the answer depends on. */
function stubOf(item: unknown): unknown {
  if (!isItem(item)) return light(item);
  const startMs = startOf(item);
  return { ...pick(item, kept), ...(startMs === null ? {} : { startTimeInSeconds: startMs / 1000 }) };
}

/** As `stubOf`, for an item of the arrays beside the data. */
function stubOfSpecial(item: unknown): unknown {
  if (!isItem(item)) return light(item);
  const permissions = bounded(item.permissions);
  return { ...pick(item, keptOfSpecial), ...(permissions === undefined ? {} : { permissions }) };
}

function pick(item: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const there = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(there.map((name) => [name, light(item[name])]));
}

function light(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value;
  if (Array.isArray(value)) return [];
  return isItem(value) ? {} : value;
}

// The nesting of summaries within summaries is bounded.
function startOf(item: unknown): number | null {
  try {
    return startMsOf(item);
  } catch {
    return null;
  }
}

function bounded(value: unknown): unknown {
  try {
    return (JSON.stringify(value)?.length ?? 0) > longestPermissions ? null : value;
  } catch {
    return null;
  }
}
