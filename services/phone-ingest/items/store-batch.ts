import type { StoreItem } from '../../../domain/records/records.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import { intervalCalls, itemCalls } from '../../../providers/phone/store/calls.ts';
import { blocksOf } from '../../../providers/phone/store/identified-blocks.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { FencedWrite } from '../fence.ts';
import { nightsKind } from '../nights/settle-nights.ts';
import { selectDeleted } from '../queries/deleted.ts';
import { reopenPhases, upsertPhases } from '../queries/phases.ts';
import { insertBlocks } from '../queries/sample-blocks.ts';
import { applyDeletions } from './apply-deletions.ts';
import { partsOf } from './batch-parts.ts';
import { idsOfEvent, isGone } from './event-ids.ts';
import { phaseRow } from './phase-row.ts';
import { idsOf, itemOf } from './sample-blocks.ts';
import type { Tally } from './tally.ts';

/** What storing a batch needs. */
export interface StoreDeps {
  readonly database: Database;
  readonly call: Call;
  readonly write: FencedWrite;
}

const provider = 'phone';
const normaliser_version = normaliserVersionOf(provider);

/** Where a batch comes from. */
export interface BatchOrigin {
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
  const parts = partsOf(batch, tally);
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
async function storeSamples(
  { call, write }: StoreDeps,
  { userId, key, receivedMs, isReprocess: reprocess }: BatchOrigin,
  samples: readonly PhoneRecord[],
) {
  if (samples.length === 0) return;
  const blocks = blocksOf(samples);
  await write((transaction) => insertBlocks(transaction, userId, blocks.map(idsOf)));
  await call('timeseries.store', {
    ...{ user_id: userId, provider, normaliser_version, received_ms: receivedMs, reprocess },
    items: [itemOf(blocks, key)],
  });
}

async function storeIntervals(
  { call }: StoreDeps,
  { userId: user_id, isReprocess: reprocess }: BatchOrigin,
  records: readonly PhoneRecord[],
  tally: Tally,
) {
  for (const given of intervalCalls(records)) {
    const { ignored_ids } = await call('timeseries.storeIntervals', {
      ...{ user_id, provider, reprocess },
      ...given,
    });
    tally.stored += given.intervals.length - ignored_ids.length;
  }
}

async function storeRecords(
  { call }: StoreDeps,
  { userId, receivedMs, isReprocess: reprocess }: BatchOrigin,
  records: readonly StoreItem[],
) {
  const given = { normaliser_version, received_ms: receivedMs, reprocess };
  for (const items of itemCalls(records))
    await call('timeseries.store', { user_id: userId, provider, ...given, items });
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
