import { type Changes, noChanges } from '../../../contracts/reprocess.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { decodeFootprint, type Footstep, stepHash } from '../tables/footprint.ts';
import { deleteSampleInstants, writeStoredSamples } from '../tables/samples.ts';
import { type ItemRow, selectItems } from '../tables/select-items.ts';
import { isActivity } from '../work/activity-samples.ts';
import { type StoreCircumstances, storeAgain } from '../work/store.ts';
import { changesBetween, isSameSample, isUnchanged, type Made, sampleKey, samplesByKey } from './compare.ts';
import { dropRecords, dropTrack } from './queries/drop-records.ts';
import { noteVersion } from './queries/note-version.ts';
import { type OthersSteps, selectFootprints } from './queries/select-footprints.ts';
import {
  type Instants,
  instantsOfItem,
  type Owner,
  type SampleAt,
  selectBlockTimes,
  selectRecords,
  selectSamplesAt,
  selectSlotSums,
} from './queries/select-made.ts';
import { standingOf } from './standing.ts';

/** Items of one user from a kept delivery. */
export interface ReprocessRequest extends Owner {
  readonly items: readonly StoreItem[];
  readonly normaliser_version: number;
  readonly received_ms: number;
}

/**
 * Stores an item of a kept delivery again, in place of what an earlier normaliser made of it, in a transaction that holds
 * the user's lock. Returns what changed; null if a newer version is stored, or if the item was deleted. An item of which
 * the same is made writes nothing but the version of the normaliser.
 */
export async function reprocessItem(
  transaction: Queryable,
  request: ReprocessRequest,
  item: StoreItem,
  circumstances: StoreCircumstances,
): Promise<Changes | null> {
  const { user_id, provider } = request;
  const [stored] = await selectItems(transaction, user_id, provider, [item]);
  const standing = standingOf(item, stored, request.received_ms);
  if (standing === 'superseded') return null;
  if (stored === undefined && isEmpty(item)) return noChanges();
  const isReopened = standing === 'same';
  const old = isReopened ? await stepsOf(transaction, request, item, stored) : [];
  const ids = isReopened ? (stored?.record_ids ?? []) : [];
  const before = await madeOf(transaction, request, item, { ids, steps: old });

  await transaction.query('savepoint item');
  if (isReopened && isActivity(item) && item.part === 0) await dropTrack(transaction, request, item);
  const again = {
    ...request,
    items: [item] as const,
    received_ms: stored?.received_ms ?? request.received_ms,
  };
  const { row } = await storeAgain(transaction, again, { ...circumstances, isReopened });
  if (isReopened) await dropRecords(transaction, user_id, item, ids);
  if (!isActivity(item))
    await settle(transaction, request, item, { old, before, row, receivedMs: again.received_ms });
  const steps = [...old, ...decodeFootprint(row?.footprint ?? null)];
  const after = await madeOf(transaction, request, item, {
    ids: [...ids, ...(row?.record_ids ?? [])],
    steps,
  });
  const changes = changesBetween(before, after);
  if (!isReopened || !isUnchanged(changes) || row === undefined || item.more) return changes;
  await transaction.query('rollback to savepoint item');
  await noteVersion(transaction, request, { ...row, received_ms: again.received_ms });
  return changes;
}

// The normaliser makes nothing of it, and nothing is stored.
function isEmpty(item: StoreItem): boolean {
  const { workout, sleeps, day, day_values, epoch, other, scores, samples, extras, track } = item;
  const records = [workout, day, day_values, epoch, other, extras, track];
  const lists = [sleeps, scores, samples];
  return lists.every((list) => list.length === 0) && records.every((record) => record === null);
}

type Steps = readonly Pick<Footstep, 'series_id' | 'times'>[];

// The instants that the stored version brought.
async function stepsOf(
  transaction: Queryable,
  owner: Owner,
  item: StoreItem,
  stored: ItemRow | undefined,
): Promise<Steps> {
  const hash = stepHash(item.hash);
  const own = decodeFootprint(stored?.footprint ?? null).filter((step) => step.hash === hash);
  return isActivity(item) ? [...own, ...(await selectBlockTimes(transaction, owner, item))] : own;
}

async function madeOf(
  transaction: Queryable,
  owner: Owner,
  item: StoreItem,
  { ids, steps }: { readonly ids: readonly string[]; readonly steps: Steps },
): Promise<Made> {
  const now = await instantsOfItem(transaction, owner, item);
  const instants = distinct([now, instantsOf(steps)]);
  const sums = await selectSlotSums(transaction, owner, item);
  const samples = samplesByKey([...(await selectSamplesAt(transaction, instants)), ...sums]);
  return { records: await selectRecords(transaction, owner, item, [...new Set(ids)]), samples };
}

function instantsOf(steps: Steps): Instants {
  return {
    seriesIds: steps.flatMap(({ series_id, times }) => times.map(() => series_id)),
    times: steps.flatMap(({ times }) => times),
  };
}

function distinct(lists: readonly Instants[]): Instants {
  const byKey = new Map<string, readonly [number, number]>();
  for (const { seriesIds, times } of lists)
    for (const [index, ms] of times.entries()) {
      const id = seriesIds[index] ?? 0;
      byKey.set(sampleKey(id, ms), [id, ms]);
    }
  const all = [...byKey.values()];
  return { seriesIds: all.map(([id]) => id), times: all.map(([, ms]) => ms) };
}

interface Stored {
  readonly old: Steps;
  readonly before: Made;
  readonly row: ItemRow | undefined;
  readonly receivedMs: number;
}

// Samples that the item no longer brings are deleted, unless another item brought them too. Samples of items that arrived
// later stay as they were.
async function settle(
  transaction: Queryable,
  owner: Owner,
  item: StoreItem,
  { old, before, row, receivedMs }: Stored,
): Promise<void> {
  const now = decodeFootprint(row?.footprint ?? null);
  const kept = keysOf(now);
  const gone = distinct([instantsOf(old)]);
  const touched = await selectSamplesAt(transaction, distinct([gone, instantsOf(now)]));
  const changed = touched.filter((sample) => isChanged(sample, before));
  const vanished = pick(gone, (key) => !kept.has(key));
  const times = [...vanished.times, ...changed.map(({ ms }) => ms)];
  const others = await selectFootprints(transaction, owner, item, times);
  const laterKeys = keysOf(others.filter(({ received_ms }) => received_ms > receivedMs).flatMap(stepsIn));
  const restored = changed.flatMap(({ series_id, ms }) => {
    const key = sampleKey(series_id, ms);
    return laterKeys.has(key) ? (before.samples.get(key) ?? []) : [];
  });
  await writeStoredSamples(transaction, restored);
  const othersKeys = keysOf(others.flatMap(stepsIn));
  const deleted = pick(vanished, (key) => !othersKeys.has(key));
  if (deleted.times.length > 0) await deleteSampleInstants(transaction, deleted);
}

const stepsIn = ({ steps }: OthersSteps) => steps;

function isChanged(sample: SampleAt, { samples }: Made) {
  const former = samples.get(sampleKey(sample.series_id, sample.ms));
  return former === undefined || !isSameSample(former, sample);
}

function keysOf(steps: Steps): Set<string> {
  return new Set(steps.flatMap(({ series_id, times }) => times.map((ms) => sampleKey(series_id, ms))));
}

function pick({ seriesIds, times }: Instants, holds: (key: string) => boolean): Instants {
  const chosen = times.flatMap((ms, index) => (holds(sampleKey(seriesIds[index] ?? 0, ms)) ? [index] : []));
  return {
    seriesIds: chosen.map((index) => seriesIds[index] ?? 0),
    times: chosen.map((index) => times[index] ?? 0),
  };
}
