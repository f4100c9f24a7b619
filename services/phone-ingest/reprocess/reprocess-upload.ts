import type { Position, ReprocessedPart } from '../../../contracts/reprocess.ts';
import { isError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type KeptDelivery, selectKept } from '../../../mixins/inbox/kept-delivery.ts';
import { type BodyKeys, readKeptBody } from '../../../mixins/inbox/sealed-bodies.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type ConnectedUser, connectedAt } from '../connected-user.ts';
import type { FencedWrite } from '../fence.ts';
import { partsOf } from '../items/batch-parts.ts';
import { idsOfEvent } from '../items/event-ids.ts';
import { batchKey } from '../items/sample-blocks.ts';
import type { BatchOrigin } from '../items/store-batch.ts';
import { Tally } from '../items/tally.ts';
import { selectDeleted } from '../queries/deleted.ts';
import { openUpload } from '../reading/open-upload.ts';
import { zoneOfUpload } from '../upload-zone.ts';
import { type BatchItems, idsOf, wanted, without } from './batch-items.ts';
import { findNewer, idsIn, keepIds } from './newer-uploads.ts';
import { added, type Counted, nothing, reprocessBatch } from './reprocess-batch.ts';

const provider = 'phone';
/** One call works for this time. */
const sliceMs = 250;

interface Context {
  readonly database: Database;
  readonly call: Call;
  readonly config: BodyKeys;
}

interface Asked {
  readonly delivery_id: string;
  readonly type: string | null;
  readonly dry_run: boolean;
  readonly from: Position;
}

/**
 * Processes a kept upload again from a batch, for a bounded time. A record that a newer upload of the user contains is left
 * as it is. An upload that is gone has no items.
 */
export async function reprocessUpload(context: Context, asked: Asked): Promise<ReprocessedPart> {
  const delivery = await selectKept(context.database, asked.delivery_id, provider);
  if (delivery === undefined || delivery.kind !== 'sync') return { ...nothing(), next: null };
  const user = await userOf(context, delivery);
  if (user === null) return { ...(await unlinked(context, delivery)), next: null };
  const { user_id: userId, write } = user;
  const work: Work = { ...context, asked, delivery, userId, write, endMs: performance.now() + sliceMs };
  if (!(await keepNewerIds(work))) return { ...nothing(), next: asked.from };
  return workBatches(work);
}

interface Work extends Context {
  readonly asked: Asked;
  readonly delivery: KeptDelivery;
  readonly userId: string;
  readonly write: FencedWrite;
  readonly endMs: number;
}

// Data from before a user connected is not stored: a purge may have erased it.
function userOf(context: Context, delivery: KeptDelivery): Promise<ConnectedUser | null> {
  const { id: deliveryId, received_ms: receivedMs, headers } = delivery;
  return connectedAt(headers, { deliveryId, receivedMs, connectedBy: receivedMs }, context);
}

async function unlinked({ database, config }: Context, delivery: KeptDelivery): Promise<Counted> {
  const { head, close } = await openUpload(
    await readKeptBody(database, config, delivery),
    delivery.received_ms,
    null,
  );
  await close();
  const { changes, items } = nothing();
  return { changes, items: { ...items, unlinked: head.received } };
}

/** Keeps the ids of newer uploads. Returns false if the time is up before all are read. */
async function keepNewerIds(work: Work): Promise<boolean> {
  const { database, delivery, userId, endMs } = work;
  const { unread } = await findNewer(database, { id: delivery.id, userId });
  for (const upload of unread) {
    await keepIds(work, upload, userId);
    if (performance.now() >= endMs) return false;
  }
  return true;
}

async function workBatches(work: Work): Promise<ReprocessedPart> {
  const { database, config, call, delivery, userId, asked, endMs } = work;
  const { item: first } = asked.from;
  const timeZone = await zoneOfUpload(call, userId, delivery.headers);
  const { head, batches, close } = await openUpload(
    await readKeptBody(database, config, delivery),
    delivery.received_ms,
    timeZone,
  );
  let counted = nothing();
  let number = -1;
  try {
    for await (const batch of batches) {
      number += 1;
      if (number < first) continue;
      if (number > first && performance.now() >= endMs)
        return { ...counted, next: { body: 0, item: number } };
      counted = added(counted, await workBatch(work, batch, batchKey(head.hash, number)));
    }
  } finally {
    await close();
  }
  return { ...counted, next: null };
}

async function workBatch(work: Work, batch: readonly UploadItem[], key: string): Promise<Counted> {
  const { database, delivery, userId, asked } = work;
  const tally = new Tally();
  const parts = wanted(partsOf(batch, tally), asked.type);
  const ids = idsOf(parts);
  const gone = await selectDeleted(database, userId, [...ids, ...parts.events.flatMap(idsOfEvent)]);
  const newer = await findNewer(database, { id: delivery.id, userId });
  const kept = without(parts, { gone, newer: idsIn(newer.ids, [...ids, ...parts.unmade]) });
  const origin = { userId, key, receivedMs: delivery.received_ms };
  const { changes, items } = await stored(work, origin, kept);
  if (!asked.dry_run) await storeArrivedMeanwhile(work, kept);
  const superseded = items.superseded + ids.length - idsOf(kept).length;
  return { changes, items: { ...items, superseded, rejected: tally.setAside } };
}

async function stored(
  { call, write, asked }: Work,
  origin: BatchOrigin,
  items: BatchItems,
): Promise<Counted> {
  try {
    return await reprocessBatch({ call, write, dryRun: asked.dry_run }, origin, items);
  } catch (error) {
    if (!isError(error, 'USER_ERASED')) throw error;
    const none = nothing();
    return { ...none, items: { ...none.items, unlinked: idsOf(items).length } };
  }
}

/**
 * An upload that arrived after the ids were compared may have been stored before this batch. Its values of the same records
 * are stored again, so that they remain.
 */
async function storeArrivedMeanwhile(work: Work, { intervals, phases }: BatchItems): Promise<void> {
  const { database, delivery, userId } = work;
  const ids = new Set([...intervals, ...phases].map(({ id }) => id));
  if (ids.size === 0) return;
  const { unread } = await findNewer(database, { id: delivery.id, userId });
  const origin = { userId, key: '', receivedMs: delivery.received_ms };
  for (const upload of unread)
    await keepIds(work, upload, userId, async (batch) => {
      const parts = partsOf(batch, new Tally());
      const same = {
        intervals: parts.intervals.filter(({ id }) => ids.has(id)),
        phases: parts.phases.filter(({ id }) => ids.has(id)),
      };
      await stored(work, origin, { samples: null, unmade: [], workouts: [], events: [], ...same });
    });
}
