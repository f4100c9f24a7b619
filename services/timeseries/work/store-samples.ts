import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import type { TrackChunk } from '../../../domain/workouts/track.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { LocalDays } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import { samplesPerStatement, upsertSamples } from '../tables/samples.ts';
import { ensureSeries } from '../tables/series.ts';
import { finishTrack, insertTrack, selectRoutePrivacy, selectTracked } from '../tables/tracks.ts';
import {
  activitySeries,
  isActivity,
  type OwnBlock,
  replaceActivityBlocks,
  settleSamples,
  shownBlocks,
} from './activity-samples.ts';
import { cropActivities } from './crop.ts';
import type { KeptDays } from './kept-days.ts';
import {
  addOtherInstants,
  daysOf,
  type PendingBlock,
  type PlacedBlock,
  sampleColumns,
  storableBlocks,
} from './sample-blocks.ts';
import type { StoredItems } from './stored-items.ts';

/** The samples of a call's items, and what is known of the items. */
interface CallSamples {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly storedItems: StoredItems;
  readonly accepted: readonly StoreItem[];
  readonly blocks: readonly PendingBlock[];
  readonly nowMs: number;
  readonly kept: KeptDays;
  readonly origin: AuditOrigin;
}

/**
 * Stores the samples of a call, and separately which of them come from activities. Returns the number of written samples per
 * item.
 */
export async function storeSamples(
  call: CallSamples,
  localDays: LocalDays,
): Promise<ReadonlyMap<number, number>> {
  const { transaction } = call;
  // A call may contain two versions of an item.
  const activities = call.accepted.filter((item) => isActivity(item) && call.storedItems.isNewest(item));
  const placed = await placeInSeries(call, storableBlocks(call.blocks, call));
  const { own, others } = divided(call.items, activities, placed);
  await addOtherInstants(
    transaction,
    others.filter(({ block }) => activitySeries.has(block.type)),
  );
  const left = await replaceActivityBlocks(transaction, call, activities, own);
  const shown = own.length === 0 ? [] : await shownBlocks(transaction, own);
  const written = await upsert(transaction, localDays, [...others, ...shown]);
  await storeTracks(transaction, call, activities);
  const cut = await cropActivities(transaction, call, activities);
  const removed = await settleSamples(transaction, call, [...left, ...cut]);
  const keys = activities.map(({ key }) => key);
  if (removed > 0) await auditRemoval(call, keys, removed);
  return written;
}

function auditRemoval(call: CallSamples, keys: readonly string[], samples: number): Promise<void> {
  const { transaction, origin, user_id: userId, provider } = call;
  const details = { provider, activities: keys, samples };
  return recordAudit(transaction, origin, { action: 'activity.samples_removed', userId, details });
}

/** The samples of activities that are stored now, and those of other records. */
function divided(
  items: readonly StoreItem[],
  activities: readonly StoreItem[],
  placed: readonly PlacedBlock[],
) {
  const own: OwnBlock[] = [];
  const others: PlacedBlock[] = [];
  for (const block of placed) {
    const item = items[block.item];
    const isOwn = item !== undefined && isActivity(item) && activitySeries.has(block.block.type);
    if (!isOwn) others.push(block);
    else if (activities.includes(item)) own.push({ item, block, days: daysOf(block) });
  }
  return { own, others };
}

async function upsert(
  transaction: Queryable,
  localDays: LocalDays,
  blocks: readonly PlacedBlock[],
): Promise<Map<number, number>> {
  const written = new Map<number, number>();
  for (const columns of sampleColumns(blocks, localDays, samplesPerStatement))
    for (const row of await upsertSamples(transaction, columns))
      written.set(row.item, (written.get(row.item) ?? 0) + row.written);
  return written;
}

async function placeInSeries(
  { transaction, user_id, provider }: CallSamples,
  blocks: readonly PendingBlock[],
): Promise<PlacedBlock[]> {
  const keys = blocks.map(({ block: { type, device } }) => ({ type_id: seriesOf(type).id, device }));
  const distinct = new Map(keys.map((key) => [seriesKey(key.type_id, key.device), key]));
  const rows = await ensureSeries(transaction, user_id, provider, [...distinct.values()]);
  const ids = new Map(rows.map(({ id, type_id, device }) => [seriesKey(type_id, device), id]));
  const idOf = ({ type, device }: SampleBlock) => ids.get(seriesKey(seriesOf(type).id, device)) ?? 0;
  return blocks.map((pending) => ({ ...pending, series_id: idOf(pending.block) }));
}

function seriesKey(typeId: number, device: string): string {
  return `${typeId} ${device}`;
}

/**
 * Stores the tracks of activities. The last part of an item replaces the track of its older version. A track that was cut by
 * another version of the user's route privacy loses its positions: the user may have added a zone meanwhile.
 */
async function storeTracks(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  activities: readonly StoreItem[],
): Promise<void> {
  const own = activities.filter((item) => !item.samples_kept);
  if (own.length === 0) return;
  const isLocated = own.some(({ track }) => track.some(({ located }) => located > 0));
  const version = isLocated ? (await selectRoutePrivacy(transaction, user_id)).version : null;
  const tracked = await selectTracked(
    transaction,
    { user_id, provider },
    own.map(({ key }) => key),
  );
  for (const { data_type, key, hash, track, more, route_version } of own) {
    const item = { user_id, provider, data_type, key, hash };
    await insertTrack(transaction, item, route_version === version ? track : track.map(withoutPositions));
    if (!more && (track.length > 0 || tracked.has(`${data_type} ${key}`)))
      await finishTrack(transaction, item);
  }
}

/** A chunk without its positions. */
function withoutPositions(chunk: TrackChunk): TrackChunk {
  const { latitude: _, longitude: __, ...columns } = chunk.columns;
  return { ...chunk, located: 0, columns };
}
