import { partsOf } from '../../../domain/item-parts.ts';
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
} from '../../../domain/json-scan.ts';
import type { StoreItem } from '../../../domain/records.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import type { Normalised, Problem } from '../../../providers/devicemaker/normalise/item.ts';
import { isTooDense, mostItemsRead, mostKeysRead, TooManyValues } from './density.ts';
import { stubOf, stubOfSpecial } from './item-stub.ts';
import { mostItems, sortKeys, specialKeys, type TopKey } from './read-push.ts';

/** What a body is: an object of arrays, or one list, whose key is ''. */
export type Root = 'object' | 'list';

/** What there is in a body: how many stand-ins each array has to fetch, and the errors of its keys. */
export interface Outline {
  readonly lists: readonly { readonly key: string; readonly count: number }[];
  readonly errors: readonly string[];
}

/** A body that was refused: no JSON, not the root that it should be, or more values than are read. */
export type Refusal = 'malformed' | 'other_root' | 'too_many_values';

/** Which items of which array are normalised next, as which type. */
export interface Order {
  readonly key: string;
  readonly type: string;
  readonly index: number;
}

/** What became of the item at a place of the order; parts follow. */
export interface Judged {
  readonly at: number;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** The name of the error that a normaliser of ours threw. */
  readonly broken: string | null;
}

/** A bounded piece of an order's outcome; each part with its place in the order and its size in JSON. */
export interface Batch {
  readonly judged: readonly Judged[];
  readonly parts: readonly (readonly [at: number, bytes: number, part: StoreItem])[];
}

/** What is handed over at once: the main thread reads 256 KB of JSON in less than 4 ms. */
const batchBytes = 256 * 1024;

interface List {
  /** Pairs of places: where each item begins and ends. */
  readonly places: Uint32Array;
  readonly count: number;
  readonly stubs: readonly string[];
}

/** A body that lies ready in the thread that reads it. */
export class LargeBody {
  readonly outline: Outline;
  readonly #bytes: Buffer;
  readonly #lists: ReadonlyMap<string, List>;

  private constructor(bytes: Buffer, outline: Outline, lists: ReadonlyMap<string, List>) {
    this.#bytes = bytes;
    this.outline = outline;
    this.#lists = lists;
  }

  /** Reads all of a body once; its items are dropped as soon as their stand-ins are made. */
  static open(bytes: Buffer, root: Root): LargeBody | Refusal {
    if (isTooDense(bytes)) return 'too_many_values';
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

  /** A bounded piece of the stand-ins of an array, as JSON; undefined behind the last. */
  stubs(key: string, piece: number): string | undefined {
    return this.#lists.get(key)?.stubs[piece];
  }

  /** Parses, normalises and cuts items one by one, as JSON of `Batch`es. */
  *batches(orders: readonly Order[], nowMs: number): Generator<string, void> {
    let batch = newBatch();
    for (const [at, order] of orders.entries()) {
      const normalised = this.#normalise(order, nowMs);
      const { ok, problems } = normalised;
      batch.judged.push(JSON.stringify({ at, ok, problems, broken: normalised.broken ?? null }));
      if (!normalised.ok) continue;
      for (const part of partsOf(normalised.item)) {
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

  // A normaliser does not throw; should one all the same, it costs its item and not the delivery.
  #normalise({ key, type, index }: Order, nowMs: number): Normalised & { broken?: string } {
    const places = this.#lists.get(key)?.places;
    const item = valueAt(this.#bytes, places?.[2 * index] ?? 0, places?.[2 * index + 1] ?? 0, 1);
    try {
      return dataTypeOf(type)?.normalise(item, nowMs) ?? { ok: false, problems: [] };
    } catch (error) {
      const broken = error instanceof Error ? error.name : 'unknown';
      return { ok: false, problems: [{ field: '', reason: 'could not be read' }], broken };
    }
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

// As JSON.parse has it, of a key that comes twice the first place counts, and the last value.
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

const skipped: List = { places: new Uint32Array(), count: 0, stubs: [] };

// An array that nobody processes has no length worth telling; null is no array.
function memberOf(scan: JsonScan, key: string): List | null {
  const isList = kindOf(scan) === 'list';
  const isSpecial = specialKeys.has(key);
  if (isList && (isSpecial || dataTypeOf(key) !== undefined))
    return readArray(scan, isSpecial ? stubOfSpecial : stubOf);
  readValue(scan);
  return isList ? skipped : null;
}

function readArray(scan: JsonScan, stub: (item: unknown) => unknown): List {
  let places = new Uint32Array(64);
  let count = 0;
  const stubs = new Pieces();
  readList(scan, (item, from, to) => {
    if (count < mostItems) {
      if (2 * count === places.length) places = grown(places);
      places[2 * count] = from;
      places[2 * count + 1] = to;
      stubs.add(JSON.stringify(stub(item)));
    }
    count += 1;
    if (count > mostItemsRead) throw new TooManyValues();
  });
  return { places, count, stubs: stubs.all() };
}

function grown(places: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * places.length);
  larger.set(places);
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
