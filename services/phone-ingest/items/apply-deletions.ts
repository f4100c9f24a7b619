import { isSeriesType, type SeriesType } from '../../../domain/records/series.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { FencedWrite } from '../fence.ts';
import { nightsKind } from '../nights/settle-nights.ts';
import { insertDeleted } from '../queries/deleted.ts';
import { deletePhases } from '../queries/phases.ts';
import { type BlockRow, selectBlocksWith } from '../queries/sample-blocks.ts';
import { hashOf, instantsOf } from './sample-blocks.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly write: FencedWrite;
}

/** An item that was deleted on the phone. */
export interface DeletedItem {
  readonly id: string;
  readonly mayBeWorkout: boolean;
}

const provider = 'phone';

/**
 * Applies deletions on the phone. An id is looked for in every list, because its type may be one that we do not know. It is
 * recorded first, so that an upload that comes late does not store it again.
 */
export async function applyDeletions(
  deps: Deps,
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
  { database, call }: Deps,
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

async function reopenNights({ write }: Deps, userId: string, ids: readonly string[]): Promise<void> {
  await write(async (transaction) => {
    if ((await deletePhases(transaction, userId, ids)) > 0)
      await enqueue(transaction, nightsKind, { key: userId, payload: { user_id: userId } });
  });
}
