import { createHash } from 'node:crypto';
import { isWithinBounds, JsonBoundsError, parsedBytes } from '../../../domain/json/json-bounds.ts';
import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  passList,
  passValue,
  positionsIn,
  readObject,
  readValue,
  valueAt,
} from '../../../domain/json/json-scan.ts';
import {
  readItem,
  sourceNamed,
  type UploadItem,
  type UploadList,
  uploadLists,
} from '../../../providers/phone/upload.ts';

/** Where the lists of an upload begin, and how many items they have. */
interface UploadOutline {
  /** The value of the field `provider`. */
  readonly provider: unknown;
  readonly lists: Lists;
}

type Lists = ReadonlyMap<UploadList, { readonly at: number; readonly count: number }>;

/**
 * Finds the lists of an upload. Values are not validated, so that an invalid one does not affect the others. Null: the body has no
 * object `data`. @throws JsonError if the body is not JSON beside its values
 */
function outlineOf(bytes: Buffer): UploadOutline | null {
  const scan = jsonScan(bytes);
  let lists: Lists | null = null;
  let provider: unknown;
  if (kindOf(scan) === 'object')
    readObject(scan, (key) => {
      if (key === 'data') lists = listsOf(scan);
      else if (key === 'provider') provider = valueOrNull(scan);
      else passValue(scan);
    });
  else readValue(scan);
  expectEnd(scan);
  return lists === null ? null : { provider, lists };
}

// As in JSON.parse, the last of several values of a name counts.
function listsOf(scan: JsonScan): Lists | null {
  const lists = new Map<UploadList, { at: number; count: number }>();
  if (kindOf(scan) !== 'object') {
    passValue(scan);
    return null;
  }
  readObject(scan, (key) => {
    const list = uploadLists.find((name) => name === key);
    const at = scan.at;
    if (list !== undefined) lists.delete(list);
    if (list === undefined || kindOf(scan) !== 'list') return passValue(scan);
    let count = 0;
    passList(scan, () => {
      count += 1;
    });
    lists.set(list, { at, count });
  });
  return lists;
}

function valueOrNull(scan: JsonScan): unknown {
  try {
    return readValue(scan);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

/** Why nothing of a body can be stored. The body is kept. */
export interface UploadRefusal {
  readonly type: 'MALFORMED_BODY' | 'VALIDATION_FAILED';
  readonly detail: string;
}

/** What a body is beside its items. */
export interface UploadHead {
  /** Null: the body is an upload. */
  readonly refusal: UploadRefusal | null;
  readonly source: string | null;
  readonly received: number;
  /** The hash of the body. With the number of a batch it is the key of the samples of that batch. */
  readonly hash: string;
}

/** The items of a body, read in batches of bounded size, deletions first. */
interface UploadBody {
  readonly head: UploadHead;
  readonly batches: Iterator<UploadItem[], void> & Iterable<UploadItem[]>;
}

/** The most items of a batch: about as many as a call of the store takes. */
const itemsPerBatch = 2000;
/** Bounds the values of a batch; a route of an hour has 0.5 MiB. */
const bytesPerBatch = 4 * 1024 * 1024;
/** The most memory that the values of one item may take. A day-long route with all streams takes 30 MiB. */
const mostItemBytes = 64 * 1024 * 1024;
/** A body of which nearly all of so many items are invalid is read no further: 900,000 invalid items cost 2.6 s. */
const invalidEnough = 5000;
const mostInvalid = 0.9;

/**
 * Reads a body item by item, so that its values are never in memory together. It never throws because of the content, which is
 * health data and quoted nowhere.
 */
export function readUpload(bytes: Buffer, nowMs: number, timeZone: string | null = null): UploadBody {
  const outline = outlineOrRefusal(bytes);
  if ('type' in outline)
    return { head: { refusal: outline, source: null, received: 0, hash: '' }, batches: [].values() };
  const hash = createHash('sha256').update(bytes).digest('base64url');
  const { provider, lists } = outline;
  const received = [...lists.values()].reduce((sum, { count }) => sum + count, 0);
  return {
    head: { refusal: null, source: sourceNamed(provider), received, hash },
    batches: batchesOf(bytes, lists, nowMs, timeZone),
  };
}

function outlineOrRefusal(bytes: Buffer): UploadOutline | UploadRefusal {
  if (!isWithinBounds(bytes)) return { type: 'VALIDATION_FAILED', detail: new JsonBoundsError().message };
  try {
    const detail = 'The body is not an upload: it has no object `data`.';
    return outlineOf(bytes) ?? { type: 'VALIDATION_FAILED', detail };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { type: 'MALFORMED_BODY', detail: 'The body is not JSON.' };
  }
}

const order = ['deleted', 'records', 'sleep', 'workouts'] as const;

function* batchesOf(
  bytes: Buffer,
  lists: Lists,
  nowMs: number,
  timeZone: string | null,
): Generator<UploadItem[], void> {
  let batch: UploadItem[] = [];
  let [bytesInBatch, read, invalid] = [0, 0, 0];
  for (const list of order) {
    const at = lists.get(list)?.at;
    if (at === undefined) continue;
    for (const [from, to] of positionsIn({ bytes, at })) {
      const item = readItem(list, boundedValue(bytes, from, to), nowMs, timeZone);
      batch.push(item);
      bytesInBatch += to - from;
      read += 1;
      if (item.list === 'set_aside') invalid += 1;
      if (batch.length < itemsPerBatch && bytesInBatch < bytesPerBatch) continue;
      yield batch;
      if (read >= invalidEnough && invalid > mostInvalid * read) return;
      batch = [];
      bytesInBatch = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

// Undefined is no object, so the item is set aside.
function boundedValue(bytes: Buffer, from: number, to: number): unknown {
  const isWithin = parsedBytes(bytes.subarray(from, to)) <= mostItemBytes;
  return isWithin ? itemValue(bytes, from, to) : undefined;
}

const notANumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

/**
 * The value of an item. Numbers that JSON lacks (NaN, Infinity) are null, because some serialisers write them. Undefined: it is not JSON
 * otherwise either.
 */
function itemValue(bytes: Buffer, from: number, to: number): unknown {
  return parsed(bytes, from, to) ?? repaired(bytes.toString('utf8', from, to));
}

function repaired(text: string): unknown {
  const valid = Buffer.from(text.replace(notANumber, (token) => (token.startsWith('"') ? token : 'null')));
  return parsed(valid, 0, valid.length);
}

function parsed(bytes: Buffer, from: number, to: number): unknown {
  try {
    return valueAt(bytes, from, to);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
