import type { ChangeCounts } from '../../../contracts/reprocess.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import type { NightPhase } from '../../../providers/phone/nights/join-phases.ts';
import type { FencedWrite } from '../fence.ts';
import { nightsKind } from '../nights/settle-nights.ts';
import { reopenPhases, selectKnown, upsertPhases } from '../queries/phases.ts';

/** Whose phases are stored again, and whether this is only tried. */
export interface PhasesScope {
  readonly userId: string;
  readonly dryRun: boolean;
}

/**
 * Stores phases again and has their nights computed anew, because the current normaliser may make another session of the
 * same phases. Returns what became of the phases.
 */
export async function reprocessPhases(
  write: FencedWrite,
  { userId, dryRun }: PhasesScope,
  phases: readonly NightPhase[],
): Promise<ChangeCounts> {
  const dry = new Error('dry run');
  const counts: ChangeCounts[] = [];
  const work = async (transaction: Queryable) => {
    counts.push(await storePhases(transaction, userId, phases));
    if (dryRun) throw dry;
    await reopenPhases(
      transaction,
      userId,
      phases.map(({ id }) => id),
    );
    const job = { key: userId, payload: { user_id: userId }, lane: lanes.historical };
    await enqueue(transaction, nightsKind, job);
  };
  await write(work).catch((error: unknown) => {
    if (error !== dry) throw error;
  });
  return counts[0] ?? { added: 0, changed: 0, removed: 0, identical: 0 };
}

async function storePhases(
  transaction: Queryable,
  userId: string,
  phases: readonly NightPhase[],
): Promise<ChangeCounts> {
  const ids = [...new Set(phases.map(({ id }) => id))];
  const known = await selectKnown(transaction, userId, ids);
  const written = await upsertPhases(transaction, userId, phases);
  const added = ids.length - known;
  return { added, changed: written - added, removed: 0, identical: ids.length - written };
}
