import type { StoreItem } from '../../../domain/records/records.ts';
import { isSeriesType, type SeriesType } from '../../../domain/records/series.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import { blocksOf, intervalCalls, itemCalls } from '../../../providers/phone/store/calls.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type DeletedItem, idsOfEvent, isGone, phaseRow, sortBatch, type Tally } from '../rules/batch.ts';
import { hashOf, idsOf, instantsOf, itemOf } from '../rules/sample-blocks.ts';
import { insertDeleted, selectDeleted } from '../tables/deleted.ts';
import { deletePhases, reopenPhases, upsertPhases } from '../tables/phases.ts';
import { type BlockRow, insertBlocks, selectBlocksWith } from '../tables/sample-blocks.ts';
import type { FencedWrite } from './fence.ts';
import { nightsKind } from './settle-nights.ts';

/** What storing a batch needs. */
interface StoreDeps {
  readonly database: Database;
  readonly call: Call;
  readonly write: FencedWrite;
}

const provider = 'phone';
const normaliser_version = normaliserVersionOf(provider);

/** Where a batch comes from. */
interface BatchOrigin {
  readonly userId: string;
  /** The key of its samples. */
  readonly key: string;
  /** When its delivery arrived. */
  readonly receivedMs: number;
  /** Its delivery was processed before. */
  readonly isReprocess: boolean;
}

/** Stores the items of a batch. Repeating it changes nothing, because every item has a key. */
export async function storeBatch(
  deps: StoreDeps,
  origin: BatchOrigin,
  batch: readonly UploadItem[],
  tally: Tally,
): Promise<void> {
  const { userId } = origin;
  const parts = sortBatch(batch, tally);
  await applyDeletions(deps, userId, parts.deleted);
  const ids = [...parts.samples, ...parts.phases]
    .map(({ id }) => id)
    .concat(parts.workouts.map(({ key }) => key))
    .concat(parts.events.flatMap(idsOfEvent));
  const gone = await selectDeleted(deps.database, userId, ids);
  const kept = <T extends { readonly id: string }>(items: readonly T[]) =>
    items.filter(({ id }) => !gone.has(id));
  await storeSamples(deps, origin, kept(parts.samples));
  await storeIntervals(deps, origin, parts.intervals, tally);
  await storeRecords(deps, origin, [
    ...parts.workouts.filter(({ key }) => !gone.has(key)),
    ...parts.events.filter((event) => !isGone(event, gone)),
  ]);
  await storePhases(deps, origin, kept(parts.phases));
  const { deleted, samples, phases, workouts, events } = parts;
  for (const { length } of [deleted, samples, phases, workouts, events]) tally.stored += length;
}

// The ids are kept before the samples are stored, so that no stored sample lacks its id.
async function storeSamples(deps: StoreDeps, origin: BatchOrigin, samples: readonly PhoneRecord[]) {
  if (samples.length === 0) return;
  const blocks = blocksOf(samples);
  await deps.write((transaction) => insertBlocks(transaction, origin.userId, blocks.map(idsOf)));
  await storeItems(deps, origin, [itemOf(blocks, origin.key)]);
}

async function storeRecords(deps: StoreDeps, origin: BatchOrigin, records: readonly StoreItem[]) {
  for (const items of itemCalls(records)) await storeItems(deps, origin, items);
}

function storeItems(
  { call }: StoreDeps,
  { userId: user_id, receivedMs: received_ms, isReprocess: reprocess }: BatchOrigin,
  items: StoreItem[],
) {
  return call('timeseries.store', { user_id, provider, normaliser_version, received_ms, reprocess, items });
}

async function storeIntervals(
  { call }: StoreDeps,
  { userId: user_id, isReprocess: reprocess }: BatchOrigin,
  records: readonly PhoneRecord[],
  tally: Tally,
) {
  for (const intervals of intervalCalls(records)) {
    const { ignored_ids } = await call('timeseries.storeIntervals', {
      user_id,
      provider,
      reprocess,
      ...intervals,
    });
    tally.stored += intervals.intervals.length - ignored_ids.length;
  }
}

// A newer normaliser may make another session of the same phases.
async function storePhases(
  { write }: StoreDeps,
  { userId, isReprocess }: BatchOrigin,
  phases: readonly SleepPhase[],
) {
  if (phases.length === 0) return;
  await write(async (transaction) => {
    const written = await upsertPhases(transaction, userId, phases.map(phaseRow));
    const ids = phases.map(({ id }) => id);
    if (isReprocess) await reopenPhases(transaction, userId, ids);
    const lane = isReprocess ? lanes.historical : lanes.live;
    if (isReprocess || written > 0)
      await enqueue(transaction, nightsKind, { key: userId, payload: { user_id: userId }, lane });
  });
}

/**
 * Applies deletions on the phone. An id is looked for in every list, because its type may be one that we do not know. It is
 * recorded first, so that an upload that comes late does not store it again.
 */
export async function applyDeletions(
  deps: StoreDeps,
  userId: string,
  items: readonly DeletedItem[],
): Promise<void> {
  if (items.length === 0) return;
  const { call } = deps;
  const ids = items.map(({ id }) => id);
  await deps.write((transaction) => insertDeleted(transaction, userId, ids));
  await call('timeseries.deleteIntervals', { user_id: userId, provider, ids });
  await deleteSamplesAndEvents(deps, userId, ids);
  for (const { id: key, mayBeWorkout } of items)
    if (mayBeWorkout) await call('timeseries.deleteWorkout', { user_id: userId, provider, key });
  await reopenNights(deps, userId, ids);
}

async function deleteSamplesAndEvents(
  { database, call }: StoreDeps,
  userId: string,
  ids: string[],
): Promise<void> {
  const hashes = ids.map(hashOf);
  const wanted = new Set(hashes.map((hash) => hash.toString('hex')));
  const samples = (await selectBlocksWith(database, userId, hashes)).flatMap((row) => samplesOf(row, wanted));
  await call('timeseries.deleteItems', { user_id: userId, provider, sleeps: [], events: ids, samples });
}

interface DeletedSamples {
  readonly type: SeriesType;
  readonly device: string;
  readonly at_ms: number[];
}

function samplesOf({ series, device, ...block }: BlockRow, wanted: ReadonlySet<string>): DeletedSamples[] {
  const at_ms = instantsOf(block, wanted);
  return at_ms.length > 0 && isSeriesType(series) ? [{ type: series, device, at_ms }] : [];
}

async function reopenNights({ write }: StoreDeps, userId: string, ids: readonly string[]): Promise<void> {
  await write(async (transaction) => {
    if ((await deletePhases(transaction, userId, ids)) > 0)
      await enqueue(transaction, nightsKind, { key: userId, payload: { user_id: userId } });
  });
}
