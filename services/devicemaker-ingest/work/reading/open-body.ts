import { ServiceError } from '../../../../domain/errors.ts';
import { parseJson } from '../../../../domain/json/json-bounds.ts';
import type { VersionedRules } from '../../../../domain/workouts/cut-chunks.ts';
import { dataTypeOf } from '../../../../providers/devicemaker/data-types.ts';
import { notAnObject, type Push, readPush, tooManyValues } from '../../rules/read-push.ts';
import type { Entry } from '../entries.ts';
import type { Run } from '../store-run.ts';
import {
  type ItemSource,
  isOver,
  itemsAtHand,
  routeRulesOf,
  type StoreChunk,
  setStatus,
} from './item-source.ts';
import type { Batch, Order, Outline, Refusal, Root } from './large-body.ts';
import { type ReadBody, sendToThread, ThreadEnded } from './reading-thread.ts';

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
  const { outline, lists, threadBody, close } = opened;
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
  return { push, items: itemsInThread(threadBody, ({ key }) => key), close };
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
  const { lists, threadBody, close } = opened;
  return { list: lists.get('') ?? [], items: itemsInThread(threadBody, () => ''), body: copy, close };
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
  readonly threadBody: ReadBody;
  readonly close: () => void;
}

async function openLarge(bytes: ArrayBufferLike, root: Root): Promise<Opened | Refusal> {
  const threadBody = sendToThread(bytes.byteLength);
  try {
    const text = await threadBody.ask({ kind: 'open', bytes, root });
    if (text === 'malformed' || text === 'other_root' || text === 'too_many_values') {
      threadBody.close();
      return text;
    }
    const outline: Outline = JSON.parse(text ?? '');
    const lists = new Map<string, readonly unknown[]>();
    for (const { key, count } of outline.lists) lists.set(key, await stubsOf(threadBody, key, count));
    return { outline, lists, threadBody, close: () => threadBody.close() };
  } catch (error) {
    threadBody.close();
    if (error instanceof ThreadEnded && error.isCause) return 'too_many_values';
    throw error;
  }
}

async function stubsOf(threadBody: ReadBody, key: string, count: number): Promise<unknown[]> {
  const stubs: unknown[] = [];
  for (let piece = 0; stubs.length < count; piece += 1) {
    const text = await threadBody.ask({ kind: 'stubs', key, piece });
    if (text === null) throw new Error('a stub is missing');
    for (const stub of JSON.parse(text)) stubs.push(stub);
  }
  return stubs.slice(0, count);
}

const ordersAtOnce = 200;
let lastQueue = 0;

function itemsInThread(threadBody: ReadBody, keyOf: (entry: Entry) => string): ItemSource {
  return async function* (run, entries) {
    const rules = await routeRulesOf(run, entries);
    for (let from = 0; from < entries.length && !isOver(run); from += ordersAtOnce) {
      const next = entries.slice(from, from + ordersAtOnce);
      const orders = next.map((entry) => ({ key: keyOf(entry), type: entry.type.name, index: entry.index }));
      for await (const batch of batchesOf(threadBody, orders, { nowMs: run.nowMs, rules })) {
        if (isOver(run)) return;
        yield* settled(run, next, batch);
      }
    }
  };
}

// The next piece is prepared while this one is stored.
async function* batchesOf(
  threadBody: ReadBody,
  orders: readonly Order[],
  given: { readonly nowMs: number; readonly rules: VersionedRules | null },
): AsyncGenerator<Batch> {
  lastQueue += 1;
  const common = { kind: 'batch' as const, queue: lastQueue, ...given };
  let ahead = threadBody.ask({ ...common, orders });
  for (;;) {
    const text = await ahead;
    if (text === null) return;
    ahead = threadBody.ask({ ...common, orders: null });
    ahead.catch(() => undefined);
    yield JSON.parse(text);
  }
}

function* settled(run: Run, entries: readonly Entry[], { judged, parts }: Batch): Generator<StoreChunk> {
  for (const { at, ok, problems, broken, unlisted } of judged) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (broken !== null) run.onBroken(entry, Object.assign(new Error(), { name: broken }));
    run.onUnlisted?.(entry.type.name, unlisted);
    setStatus(entry, { ok, problems });
  }
  for (const [at, bytes, part] of parts) {
    const entry = entries[at];
    if (entry !== undefined) yield { entry, part, bytes };
  }
}
