import {
  addedChanges,
  addedItems,
  noChanges,
  noItems,
  type Position,
  type ReprocessedPart,
} from '../../../contracts/reprocess.ts';
import { isError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type KeptDelivery, selectKept } from '../../../mixins/inbox/kept-delivery.ts';
import { findLinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { ActionContext } from '../../../runtime/implement.ts';
import type { Entry } from '../items/entries.ts';
import type { Run } from '../items/store-run.ts';
import type { StoreChunk } from '../reading/item-source.ts';
import { type KeptBody, openKept, type Reading } from './kept-bodies.ts';

const provider = 'devicemaker';
/** One call works for this time. */
const sliceMs = 250;
/** As for live data: the bus limits a message, and transactions should be short. */
const bytesPerCall = 250_000;

interface Asked {
  readonly delivery_id: string;
  readonly type: string | null;
  readonly dry_run: boolean;
  readonly from: Position;
}

type Context = Pick<ActionContext<unknown>, 'call' | 'config' | 'logger'> & { readonly database: Queryable };

type Counted = Pick<ReprocessedPart, 'changes' | 'items'>;

/** Processes a kept delivery again from a position, for a bounded time. A delivery that is gone has no items. */
export async function reprocessDelivery(context: Context, asked: Asked): Promise<ReprocessedPart> {
  const { database, call, config } = context;
  const delivery = await selectKept(database, asked.delivery_id, provider);
  let counted: Counted = { changes: noChanges(), items: noItems() };
  if (delivery === undefined) return { ...counted, next: null };
  const { id: deliveryId, received_ms: receivedMs } = delivery;
  const arrival = { deliveryId, receivedMs, connectedBy: receivedMs };
  const usersOf = (accounts: readonly string[]) => findLinkedUsers(call, provider, accounts, arrival);
  const reading: Reading = { database, delivery, config, type: asked.type, usersOf };
  const endMs = performance.now() + sliceMs;
  for (let { body, item } = asked.from; ; body += 1, item = 0) {
    const opened = await openKept(reading, body);
    if (opened === null) return { ...counted, next: null };
    try {
      const part = await workBody(context, { delivery, opened, from: item, endMs, dryRun: asked.dry_run });
      counted = added(counted, part);
      if (part.next !== null) return { ...counted, next: { body, item: part.next } };
    } finally {
      opened.close();
    }
    if (performance.now() >= endMs) return { ...counted, next: { body: body + 1, item: 0 } };
  }
}

interface BodyWork {
  readonly delivery: KeptDelivery;
  readonly opened: KeptBody;
  readonly from: number;
  readonly endMs: number;
  readonly dryRun: boolean;
}

interface BodyPart extends Counted {
  /** The next item; null at the end of the body. */
  readonly next: number | null;
}

async function workBody(context: Context, work: BodyWork): Promise<BodyPart> {
  const { opened, from, endMs } = work;
  const open = opened.kept.slice(from);
  const numberOf = new Map<Entry, number>(
    open.flatMap(({ entries }, index) => entries.map((entry) => [entry, from + index] as const)),
  );
  let counted: Counted = { changes: noChanges(), items: noItems() };
  let batch: StoreChunk[] = [];
  let last = from;
  const send = async () => {
    const [first] = batch;
    if (first !== undefined) counted = added(counted, await reprocessed(context, work, batch));
    batch = [];
  };
  const upTo = (next: number | null): BodyPart => {
    const seen = open.slice(0, (next ?? opened.kept.length) - from);
    return { ...added(counted, { changes: noChanges(), items: leftOut(seen) }), next };
  };
  const entries = [...numberOf.keys()].filter(({ status }) => status === null);
  for await (const chunk of itemsOf(opened, runOf(context, work), entries)) {
    const number = numberOf.get(chunk.entry) ?? last;
    if (isOther(batch, chunk)) await send();
    if (batch.length === 0 && number > last && performance.now() >= endMs) return upTo(number);
    batch.push(chunk);
    last = number;
  }
  await send();
  return upTo(null);
}

// An item source takes entries of one user. The order of the body is kept, because a position counts its items.
async function* itemsOf(
  { items }: KeptBody,
  run: Run,
  entries: readonly Entry[],
): AsyncGenerator<StoreChunk> {
  const userOf = (entry: Entry | undefined) => entry?.linkedUser?.user_id;
  for (let from = 0, to: number; from < entries.length; from = to) {
    to = from + 1;
    while (to < entries.length && userOf(entries[to]) === userOf(entries[from])) to += 1;
    yield* items(run, entries.slice(from, to));
  }
}

// A call contains items of one user.
function isOther(batch: readonly StoreChunk[], { entry, bytes }: StoreChunk): boolean {
  const [first] = batch;
  if (first === undefined) return false;
  const sum = batch.reduce((total, chunk) => total + chunk.bytes, bytes);
  return first.entry.linkedUser?.user_id !== entry.linkedUser?.user_id || sum > bytesPerCall;
}

async function reprocessed(
  { call }: Context,
  { delivery, dryRun }: BodyWork,
  batch: readonly StoreChunk[],
): Promise<Counted> {
  const user_id = batch[0]?.entry.linkedUser?.user_id ?? '';
  const ended = batch.filter(({ part }) => !part.more).length;
  try {
    return await call('timeseries.reprocess', {
      ...{ user_id, provider, dry_run: dryRun, received_ms: delivery.received_ms },
      normaliser_version: normaliserVersionOf(provider),
      items: batch.map(({ part }) => part),
    });
  } catch (error) {
    const changes = noChanges();
    if (isError(error, 'USER_ERASED')) return { changes, items: { ...noItems(), unlinked: ended } };
    if (isError(error, 'VALIDATION_FAILED')) return { changes, items: { ...noItems(), rejected: ended } };
    throw error;
  }
}

function runOf({ call, logger }: Context, { delivery }: BodyWork): Run {
  return {
    call,
    signal: new AbortController().signal,
    nowMs: Date.now(),
    receivedMs: delivery.received_ms,
    onBroken: ({ key, index }, error) => {
      const name = error instanceof Error ? error.name : 'unknown';
      logger.error('reprocess.item_broken', { delivery_id: delivery.id, key, index, name });
    },
    ...{ failed: null, halted: false, patience: 1, failuresInRow: 0 },
  };
}

function leftOut(kept: KeptBody['kept']) {
  const entries = kept.flatMap((one) => one.entries);
  const rejected = entries.filter(({ status }) => status === 'validation_error').length;
  return { ...noItems(), rejected, unlinked: kept.filter((one) => one.entries.length === 0).length };
}

function added(a: Counted, b: Counted): Counted {
  return { changes: addedChanges(a.changes, b.changes), items: addedItems(a.items, b.items) };
}
