import {
  addedChanges,
  addedItems,
  noChanges,
  noItems,
  type ReprocessedPart,
} from '../../../contracts/reprocess.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import { intervalCalls, itemCalls } from '../../../providers/phone/store/calls.ts';
import { blocksOf } from '../../../providers/phone/store/identified-blocks.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { FencedWrite } from '../fence.ts';
import { phaseRow } from '../items/phase-row.ts';
import { idsOf, itemOf } from '../items/sample-blocks.ts';
import type { BatchOrigin } from '../items/store-batch.ts';
import { insertBlocks } from '../queries/sample-blocks.ts';
import type { BatchItems } from './batch-items.ts';
import { reprocessPhases } from './reprocess-phases.ts';

/** What was counted of a part of an upload. */
export type Counted = Pick<ReprocessedPart, 'changes' | 'items'>;

/** What reprocessing a batch needs. */
export interface BatchDeps {
  readonly call: Call;
  readonly write: FencedWrite;
  readonly dryRun: boolean;
}

const provider = 'phone';
const normaliser_version = normaliserVersionOf(provider);

/** Counts of nothing. */
export const nothing = (): Counted => ({ changes: noChanges(), items: noItems() });

/** The sums of counts. */
export function added(a: Counted, b: Counted): Counted {
  return { changes: addedChanges(a.changes, b.changes), items: addedItems(a.items, b.items) };
}

/** Stores the items of a batch again with the current normaliser. Deleted items, and those of newer uploads, are left out. */
export async function reprocessBatch(
  deps: BatchDeps,
  origin: BatchOrigin,
  { samples, intervals, phases, workouts, events, unmade }: BatchItems,
): Promise<Counted> {
  let counted = samples === null ? nothing() : await reprocessSamples(deps, origin, samples);
  counted = added(counted, await reprocessIntervals(deps, origin, intervals, unmade));
  counted = added(counted, await reprocessRecords(deps, origin, [...workouts, ...events]));
  return added(counted, await reprocessSleep(deps, origin, phases));
}

async function reprocessSamples(
  { call, write, dryRun }: BatchDeps,
  origin: BatchOrigin,
  samples: readonly PhoneRecord[],
): Promise<Counted> {
  const blocks = blocksOf(samples);
  if (!dryRun) await write((transaction) => insertBlocks(transaction, origin.userId, blocks.map(idsOf)));
  const { changes, items } = await reprocessItems(call, origin, dryRun, [itemOf(blocks, origin.key)]);
  const { length } = samples;
  const counts = items.superseded > 0 ? { superseded: length } : { processed: length };
  return { changes, items: { ...noItems(), ...counts } };
}

function reprocessItems(
  call: Call,
  { userId, receivedMs }: BatchOrigin,
  dry_run: boolean,
  items: StoreItem[],
) {
  const given = { normaliser_version, received_ms: receivedMs, dry_run };
  return call('timeseries.reprocess', { user_id: userId, provider, ...given, items });
}

async function reprocessRecords(
  { call, dryRun }: BatchDeps,
  origin: BatchOrigin,
  records: readonly StoreItem[],
): Promise<Counted> {
  let counted = nothing();
  for (const items of itemCalls(records))
    counted = added(counted, await reprocessItems(call, origin, dryRun, items));
  return counted;
}

async function reprocessIntervals(
  { call, dryRun }: BatchDeps,
  { userId }: BatchOrigin,
  records: readonly PhoneRecord[],
  unmade_ids: string[],
): Promise<Counted> {
  const given = { user_id: userId, provider, dry_run: dryRun } as const;
  let counted = nothing();
  for (const part of intervalCalls(records))
    counted = added(
      counted,
      await call('timeseries.reprocessIntervals', { ...given, ...part, unmade_ids: [] }),
    );
  if (unmade_ids.length === 0) return counted;
  const removal = { ...given, sources: [], intervals: [], unmade_ids };
  return added(counted, await call('timeseries.reprocessIntervals', removal));
}

async function reprocessSleep(
  { write, dryRun }: BatchDeps,
  { userId }: BatchOrigin,
  phases: readonly SleepPhase[],
): Promise<Counted> {
  if (phases.length === 0) return nothing();
  const sleeps = await reprocessPhases(write, { userId, dryRun }, phases.map(phaseRow));
  return { changes: { ...noChanges(), sleeps }, items: { ...noItems(), processed: phases.length } };
}
