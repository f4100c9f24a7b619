import { ServiceError } from '../../../domain/errors.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import type { Entry } from '../items/entries.ts';
import type { Run } from '../items/store-run.ts';
import { type ItemSource, isOver, itemsAtHand, judge, type StoreChunk } from './item-source.ts';
import type { Batch, Order, Outline, Refusal, Root } from './large-body.ts';
import { notAnObject, type Push, readPush, tooManyValues } from './read-push.ts';
import { placeInThread, type ReadBody, ThreadEnded } from './reading-thread.ts';

/**
 * Bodies, opened for work. A small one is parsed where it is. A large one goes to a thread of its own, because one
 * item of 100 MB keeps an event loop for two seconds whatever is done in slices: there it is read item by item, and
 * what comes back are stand-ins of items, then their normalised parts, never more than 256 KB of JSON in a piece.
 */

/** Parsing so much takes less than 10 ms. */
const mostBytesHere = 768 * 1024;

/** A push or ping, the items of its entries, and `close` for when the work is over. */
export interface OpenedPush {
  readonly push: Push;
  readonly items: ItemSource;
  readonly close: () => void;
}

/**
 * Opens a push or ping; a large body is handed over, and `body` is empty afterwards.
 * @throws MALFORMED_BODY (400), VALIDATION_FAILED (422) as `readPush`.
 */
export async function openPush(body: Buffer): Promise<OpenedPush> {
  if (body.length <= mostBytesHere)
    return { push: readPush(body), items: itemsAtHand, close: () => undefined };
  const opened = await openLarge(bytesOf(body), 'object');
  if (opened === 'malformed') throw new ServiceError('MALFORMED_BODY');
  if (opened === 'other_root') throw notAnObject();
  if (opened === 'too_many_values') throw tooManyValues();
  const { outline, lists, place, close } = opened;
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
  return { push, items: itemsInThread(place, ({ key }) => key), close };
}

/** As `openPush`, with the refusal as a value. */
export async function openOrRefuse(body: Buffer): Promise<OpenedPush | ServiceError> {
  try {
    return await openPush(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** The items of a body that is a list; `body` holds its bytes still. */
export interface OpenedList {
  readonly list: readonly unknown[];
  readonly items: ItemSource;
  readonly body: Buffer;
  readonly close: () => void;
}

/** Opens a callback's answer; null where it is not a list in JSON. */
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
  const { lists, place, close } = opened;
  return { list: lists.get('') ?? [], items: itemsInThread(place, () => ''), body: copy, close };
}

function listIn(body: Buffer): readonly unknown[] | null {
  try {
    const items: unknown = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
    return Array.isArray(items) ? items : null;
  } catch {
    return null;
  }
}

// What a buffer shares with others cannot be handed over.
function bytesOf(body: Buffer): ArrayBufferLike {
  const isWhole = body.byteLength === body.buffer.byteLength;
  return isWhole ? body.buffer : new Uint8Array(body).buffer;
}

interface Opened {
  readonly outline: Outline;
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
  readonly place: ReadBody;
  readonly close: () => void;
}

async function openLarge(bytes: ArrayBufferLike, root: Root): Promise<Opened | Refusal> {
  const place = placeInThread(bytes.byteLength);
  try {
    const told = await place.ask({ kind: 'open', bytes, root });
    if (told === 'malformed' || told === 'other_root' || told === 'too_many_values') {
      place.close();
      return told;
    }
    const outline: Outline = JSON.parse(told ?? '');
    const lists = new Map<string, readonly unknown[]>();
    for (const { key, count } of outline.lists) lists.set(key, await stubsOf(place, key, count));
    return { outline, lists, place, close: () => place.close() };
  } catch (error) {
    place.close();
    if (error instanceof ThreadEnded && error.isCause) return 'too_many_values';
    throw error;
  }
}

async function stubsOf(place: ReadBody, key: string, count: number): Promise<unknown[]> {
  const stubs: unknown[] = [];
  for (let piece = 0; stubs.length < count; piece += 1) {
    const told = await place.ask({ kind: 'stubs', key, piece });
    if (told === null) throw new Error('a stand-in is missing');
    for (const stub of JSON.parse(told)) stubs.push(stub);
  }
  return stubs.slice(0, count);
}

const ordersAtOnce = 200;
let lastQueue = 0;

function itemsInThread(place: ReadBody, keyOf: (entry: Entry) => string): ItemSource {
  return async function* (run, entries) {
    for (let from = 0; from < entries.length && !isOver(run); from += ordersAtOnce) {
      const next = entries.slice(from, from + ordersAtOnce);
      const orders = next.map((entry) => ({ key: keyOf(entry), type: entry.type.name, index: entry.index }));
      for await (const batch of batchesOf(place, orders, run.nowMs)) {
        if (isOver(run)) return;
        yield* settled(run, next, batch);
      }
    }
  };
}

// The next piece is made while this one is stored.
async function* batchesOf(place: ReadBody, orders: readonly Order[], nowMs: number): AsyncGenerator<Batch> {
  lastQueue += 1;
  const common = { kind: 'batch' as const, queue: lastQueue, nowMs };
  let ahead = place.ask({ ...common, orders });
  for (;;) {
    const told = await ahead;
    if (told === null) return;
    ahead = place.ask({ ...common, orders: null });
    ahead.catch(() => undefined);
    yield JSON.parse(told);
  }
}

function* settled(run: Run, entries: readonly Entry[], { judged, parts }: Batch): Generator<StoreChunk> {
  for (const { at, ok, problems, broken } of judged) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (broken !== null) run.onBroken(entry, Object.assign(new Error(), { name: broken }));
    judge(entry, { ok, problems });
  }
  for (const [at, bytes, part] of parts) {
    const entry = entries[at];
    if (entry !== undefined) yield { entry, part, bytes };
  }
}
