import { ServiceError } from '../../../../domain/errors.ts';
import { parseJson } from '../../../../domain/json/json-bounds.ts';
import { dataTypeOf } from '../../../../providers/devicemaker/data-types.ts';
import { ReadingEnded, type ThreadReading, threadReader } from '../../../../runtime/reading-thread.ts';
import { threadHeapMb } from '../../../../runtime/thread-heap.ts';
import { notAnObject, type Push, readPush, tooManyValues } from '../../rules/read-push.ts';
import type { Entry } from '../entries.ts';
import type { Run } from '../store-run.ts';
import {
  type ItemSource,
  isOver,
  itemsAtHand,
  noteJudged,
  routeRulesOf,
  type StoreChunk,
} from './item-source.ts';
import type { Batch, LargeBodyInput, LargeBodyQuestion, Outline, Refusal, Root } from './large-body.ts';

/**
 * Opens bodies for processing. A small body is parsed in the main thread. A large one is transferred to a thread,
 * because one item of 100 MB blocks an event loop for two seconds. The thread reads it item by item and returns stubs,
 * then normalised parts, in pieces of at most 256 KB of JSON.
 */

/** Parsing this size takes less than 10 ms. */
const mostBytesHere = 768 * 1024;

/** A push or ping and the items of its entries. Call `close` after processing. */
export interface OpenedPush {
  readonly push: Push;
  readonly items: ItemSource;
  readonly close: () => void;
}

/**
 * Opens a push or ping. A large body is transferred, and `body` is empty afterwards.
 * @throws MALFORMED_BODY (400), VALIDATION_FAILED (422) as `readPush`.
 */
export async function openPush(body: Buffer): Promise<OpenedPush> {
  if (body.length <= mostBytesHere)
    return { push: readPush(body), items: itemsAtHand, close: () => undefined };
  const opened = await openLarge(bytesOf(body), 'object');
  if (opened === 'malformed') throw new ServiceError('MALFORMED_BODY');
  if (opened === 'other_root') throw notAnObject();
  if (opened === 'too_many_values') throw tooManyValues();
  const { outline, lists, thread } = opened;
  const specialOf = (key: string) => lists.get(key) ?? null;
  const push = {
    groups: outline.lists.flatMap(({ key }) => {
      const type = dataTypeOf(key);
      return type === undefined ? [] : [{ key, type, items: lists.get(key) ?? [] }];
    }),
    deregistrations: specialOf('deregistrations'),
    permissionChanges: specialOf('userPermissionsChange'),
    errors: outline.errors,
  };
  return { push, items: itemsInThread(thread, ({ key }) => key), close: thread.close };
}

/** As `openPush`, but returns the refusal. */
export async function openOrRefuse(body: Buffer): Promise<OpenedPush | ServiceError> {
  try {
    return await openPush(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** The items of a body that is a list. `body` keeps its bytes. */
export interface OpenedList {
  readonly list: readonly unknown[];
  readonly items: ItemSource;
  readonly body: Buffer;
  readonly close: () => void;
}

/** Opens a callback's answer. Null if it is not a JSON list. */
export async function openList(body: Buffer): Promise<OpenedList | null> {
  if (body.length <= mostBytesHere) {
    const list = listIn(body);
    return list === null ? null : { list, items: itemsAtHand, body, close: () => undefined };
  }
  const shared = new SharedArrayBuffer(body.length);
  const copy = Buffer.from(shared);
  body.copy(copy);
  const opened = await openLarge(shared, 'list');
  if (typeof opened === 'string') return null;
  const { lists, thread } = opened;
  return {
    list: lists.get('') ?? [],
    items: itemsInThread(thread, () => ''),
    body: copy,
    close: thread.close,
  };
}

function listIn(body: Buffer): readonly unknown[] | null {
  try {
    const items = parseJson(body.toString('utf8').replace(/^\uFEFF/, ''));
    return Array.isArray(items) ? items : null;
  } catch {
    return null;
  }
}

// A buffer that shares its memory cannot be transferred.
function bytesOf(body: Buffer): ArrayBufferLike {
  const isWhole = body.byteLength === body.buffer.byteLength;
  return isWhole ? body.buffer : new Uint8Array(body).buffer;
}

interface Opened {
  readonly outline: Outline;
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
  readonly thread: OpenedBody;
}

type OpenedBody = ThreadReading<Outline | Refusal, LargeBodyQuestion, string>;

/**
 * A parsed and normalised item of 128 MiB takes about 700 MB. An answer takes at most 3 s for 128 MiB of real items. A body that takes
 * longer than the limit needs more memory than the limit.
 */
const readInThread = threadReader<LargeBodyInput, Outline | Refusal, LargeBodyQuestion, string>({
  module: new URL('./large-body.worker.ts', import.meta.url),
  resourceLimits: { maxOldGenerationSizeMb: threadHeapMb(1280) },
  longestMs: 60_000,
});

async function openLarge(bytes: ArrayBufferLike, root: Root): Promise<Opened | Refusal> {
  let thread: OpenedBody | null = null;
  try {
    const transferred = bytes instanceof ArrayBuffer ? [bytes] : [];
    thread = await readInThread({ bytes, root }, bytes.byteLength, transferred);
    const outline = thread.head;
    if (typeof outline === 'string') {
      thread.close();
      return outline;
    }
    const lists = new Map<string, readonly unknown[]>();
    for (const { key, count } of outline.lists) lists.set(key, (await stubsOf(thread, key)).slice(0, count));
    return { outline, lists, thread };
  } catch (error) {
    thread?.close();
    if (error instanceof ReadingEnded && error.exceeded !== null) return 'too_many_values';
    throw error;
  }
}

async function stubsOf(thread: OpenedBody, key: string): Promise<unknown[]> {
  const stubs: unknown[] = [];
  for await (const text of thread.pieces({ kind: 'stubs', key }))
    for (const stub of JSON.parse(text)) stubs.push(stub);
  return stubs;
}

const ordersAtOnce = 200;

function itemsInThread(thread: OpenedBody, keyOf: (entry: Entry) => string): ItemSource {
  return async function* (run, entries) {
    const rules = await routeRulesOf(run, entries);
    for (let from = 0; from < entries.length && !isOver(run); from += ordersAtOnce) {
      const next = entries.slice(from, from + ordersAtOnce);
      const orders = next.map((entry) => ({ key: keyOf(entry), type: entry.type.name, index: entry.index }));
      for await (const text of thread.pieces({ kind: 'items', orders, nowMs: run.nowMs, rules })) {
        if (isOver(run)) return;
        yield* noted(run, next, JSON.parse(text));
      }
    }
  };
}

function* noted(run: Run, entries: readonly Entry[], { judged, parts }: Batch): Generator<StoreChunk> {
  for (const [at, item] of judged) {
    const entry = entries[at];
    if (entry !== undefined) noteJudged(run, entry, item);
  }
  for (const [at, bytes, part] of parts) {
    const entry = entries[at];
    if (entry !== undefined) yield { entry, part, bytes };
  }
}
